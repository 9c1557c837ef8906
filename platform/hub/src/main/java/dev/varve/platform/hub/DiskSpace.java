package dev.varve.platform.hub;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.ByteCount;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Checks the free space of a disk before a download. */
final class DiskSpace {
    /** Returns the bytes that a user may still write in a folder. */
    interface Probe {
        long freeBytes(Path folder) throws IOException;
    }

    private final Probe probe;

    DiskSpace(Probe probe) {
        this.probe = probe;
    }

    static DiskSpace ofFileSystem() {
        return new DiskSpace(folder -> Files.getFileStore(folder).getUsableSpace());
    }

    /**
     * Checks that a disk has space.
     *
     * @param file file to write, which need not exist; its folder does
     * @param folderVariable environment variable that names the folder, for the message
     * @throws VarveException of kind UNAVAILABLE if it has less
     */
    void require(Path file, long bytes, String folderVariable) {
        long free;
        try {
            free = probe.freeBytes(file.getParent());
        } catch (IOException e) {
            // Without the number the download itself finds a full disk.
            return;
        }
        if (free < bytes) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    String.format(
                            Locale.ROOT,
                            "%s: the download needs %s more, the disk has %s free; the"
                                    + " variable %s can name a folder on another one",
                            file.getParent(),
                            ByteCount.format(bytes),
                            ByteCount.format(free),
                            folderVariable));
        }
    }
}
