package dev.varve.platform.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Checks the permissions of files that other users of this machine could forge or read: libraries,
 * stored prompts that are read back, and secrets. A file system without owners passes every check.
 */
public final class FilePermissionCheck {
    private static final int ROOT = 0;
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_OTHERS = 022;
    private static final int READABLE_BY_ALL = 004;

    private FilePermissionCheck() {}

    /**
     * Reason why another user could change or replace the content of a folder; empty if none could:
     * the folder belongs to this user, and only this user can write to it.
     *
     * @param real without symbolic links
     */
    public static Optional<String> writableByOthers(Path real) throws IOException {
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
        return own
                ? Optional.empty()
                : Optional.of(
                        real + " does not belong to this user, or other users can write to it");
    }

    /**
     * Reason why another user could replace the content of a folder; empty if none could. Other
     * users may write to the folder if its sticky bit protects the files of this user.
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
                ? Optional.of(folder + " lets other users replace its content")
                : Optional.empty();
    }

    /** Reason why a file does not protect a secret; empty if it does. Its group may read it. */
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

    /** Java reports only the user's name, which a container may lack. */
    private static int user() throws IOException {
        return owner(Path.of("/proc/self"));
    }
}
