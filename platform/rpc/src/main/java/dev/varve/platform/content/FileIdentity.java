package dev.varve.platform.content;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.digest.Sha256;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * State of a file, as the file system reports it. A file that was modified or replaced has another
 * state.
 *
 * @param device number of the file system on the running system
 * @param inode number of the file in the file system
 * @param bytes its length
 * @param modified time of the last modification
 */
public record FileIdentity(long device, long inode, long bytes, Instant modified) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /**
     * Reads the state from the file system; follows symbolic links.
     *
     * @throws VarveException of kind UNREADABLE_FILE if the file does not exist
     */
    public static FileIdentity of(Path file) {
        try {
            Map<String, Object> found =
                    Files.readAttributes(file, "unix:dev,ino,size,lastModifiedTime");
            return new FileIdentity(
                    (Long) found.get("dev"),
                    (Long) found.get("ino"),
                    (Long) found.get("size"),
                    ((FileTime) found.get("lastModifiedTime")).toInstant());
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }

    /** Formats all values for messages. */
    @Override
    public String toString() {
        return bytes + " bytes of " + modified + ", inode " + inode + " of device " + device;
    }

    /**
     * Returns a digest that is equal in two processes if and only if they see the same files in the
     * same state. Device and inode numbers identify files only within one running kernel, so the
     * digest includes its boot id.
     *
     * @return 64 hexadecimal digits; empty if the system reports no boot id
     * @throws VarveException of kind UNREADABLE_FILE if a file is missing
     */
    public static Optional<String> digest(Collection<Path> files) {
        return bootId().map(boot -> digest(boot, files));
    }

    private static String digest(String boot, Collection<Path> files) {
        StringBuilder text = new StringBuilder(boot);
        files.forEach(file -> text.append('\n').append(of(file)));
        return Sha256.hex(text.toString());
    }

    private static Optional<String> bootId() {
        try {
            return Optional.of(Files.readString(BOOT_ID).strip()).filter(id -> !id.isEmpty());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
