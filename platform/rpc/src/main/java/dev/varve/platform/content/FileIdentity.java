package dev.varve.platform.content;

import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * A state of a file, as the file system tells it. A file that was written to or replaced has
 * another one.
 *
 * @param device number of the file system on the running system
 * @param inode number of the file in the file system
 * @param bytes its length
 * @param modified when it was last written to
 */
public record FileIdentity(long device, long inode, long bytes, Instant modified) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /**
     * Asks the file system; follows symbolic links.
     *
     * @throws VarveException of kind UNREADABLE_FILE if there is no such file
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
                    VarveException.Kind.UNREADABLE_FILE, file + ": cannot be read: " + e, e);
        }
    }

    /** For people, with all values. */
    @Override
    public String toString() {
        return bytes + " bytes of " + modified + ", inode " + inode + " of device " + device;
    }

    /**
     * A digest that another process computes alike if and only if it sees the same files in the
     * same state: device and inode numbers mean the same files only below one running kernel, so
     * that one's boot id is part of it.
     *
     * @return 64 hexadecimal digits; empty if the system tells no boot id
     * @throws VarveException of kind UNREADABLE_FILE if a file is missing
     */
    public static Optional<String> digest(Collection<Path> files) {
        return bootId().map(boot -> digest(boot, files));
    }

    private static String digest(String boot, Collection<Path> files) {
        StringBuilder text = new StringBuilder(boot);
        files.forEach(file -> text.append('\n').append(of(file)));
        return Sha256.hex(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> bootId() {
        try {
            return Optional.of(Files.readString(BOOT_ID).strip()).filter(id -> !id.isEmpty());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
