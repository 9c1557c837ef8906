package dev.varve.platform.shard.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/**
 * Finds files on network file systems. A server or another client may shorten or lose such a file
 * at any time, and a mapped page of it then kills the process (SIGBUS).
 */
final class NetworkFileSystems {
    private static final Set<String> TYPES =
            Set.of(
                    "9p",
                    "acfs",
                    "afs",
                    "beegfs",
                    "ceph",
                    "cifs",
                    "coda",
                    "drvfs",
                    "gpfs",
                    "lustre",
                    "ncpfs",
                    "orangefs",
                    "prl_fs",
                    "pvfs2",
                    "smb2",
                    "smb3",
                    "smbfs",
                    "vboxsf",
                    "virtiofs",
                    "wekafs");

    private NetworkFileSystems() {}

    /** Whether a file is on a network file system. */
    static boolean contain(Path file) {
        try {
            return isNetwork(Files.getFileStore(file).type());
        } catch (IOException | SecurityException e) {
            // Reading works wherever mapping works.
            return true;
        }
    }

    /**
     * Whether a type of file system, as in {@code /proc/mounts}, is a network file system or
     * implemented by a program (FUSE), most of which serve files of a network; {@code fuseblk} is a
     * local disk.
     */
    static boolean isNetwork(String type) {
        String name = type.toLowerCase(Locale.ROOT);
        return TYPES.contains(name)
                || name.startsWith("nfs")
                || name.equals("fuse")
                || name.startsWith("fuse.");
    }
}
