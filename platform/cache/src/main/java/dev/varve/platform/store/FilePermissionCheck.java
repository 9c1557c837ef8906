package dev.varve.platform.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The one rule for files that other users of this machine could forge or read: libraries and
 * prompts that are read back, and secrets. Where a file system knows no owners nothing is refused.
 */
public final class FilePermissionCheck {
    private static final int ROOT = 0;
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_OTHERS = 022;
    private static final int READABLE_BY_ALL = 004;

    private FilePermissionCheck() {}

    /**
     * Why others could change or replace what is in a folder; empty if they cannot. It belongs to
     * this user, and only this user can write to it.
     *
     * @param real without symbolic links
     */
    public static Optional<String> forgeable(Path real) throws IOException {
        if (!knowsOwners(real)) {
            return Optional.empty();
        }
        for (Path each = real; each != null; each = each.getParent()) {
            Optional<String> reason = replaceable(each);
            if (reason.isPresent()) {
                return reason;
            }
        }
        boolean own = owner(real) == user() && (mode(real) & WRITABLE_BY_OTHERS) == 0;
        return own ? Optional.empty() : Optional.of(real + " is not a folder of this user alone");
    }

    /**
     * Why others could replace what is in a folder, which others may write to if its sticky bit
     * keeps them from what is not theirs; empty if they cannot.
     */
    public static Optional<String> replaceable(Path folder) throws IOException {
        if (!knowsOwners(folder)) {
            return Optional.empty();
        }
        int owner = owner(folder);
        if (owner != user() && owner != ROOT) {
            return Optional.of(folder + " belongs to another user");
        }
        int mode = mode(folder);
        return (mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0
                ? Optional.of(folder + " lets others replace what is in it")
                : Optional.empty();
    }

    /** Why a secret in a file is none; empty if it is one. Its group may read it. */
    public static Optional<String> exposed(Path file) throws IOException {
        if (!knowsOwners(file)) {
            return Optional.empty();
        }
        int mode = mode(file);
        if ((mode & READABLE_BY_ALL) != 0) {
            return Optional.of(file + " can be read by all users");
        }
        return (mode & WRITABLE_BY_OTHERS) != 0
                ? Optional.of(file + " can be changed by other users")
                : Optional.empty();
    }

    private static boolean knowsOwners(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    private static int mode(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:mode");
    }

    private static int owner(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:uid");
    }

    /** Java tells the user's name only, which a container may not have. */
    private static int user() throws IOException {
        return owner(Path.of("/proc/self"));
    }
}
