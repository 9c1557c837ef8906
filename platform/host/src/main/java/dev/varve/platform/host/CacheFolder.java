package dev.varve.platform.host;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.store.FilePermissionCheck;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Finds the folder for files that can be recreated. {@code VARVE_CACHE} is used without checks: its
 * user is responsible for it. Otherwise it is {@code varve} in {@code XDG_CACHE_HOME}, or in {@code
 * .cache} of the home folder if one exists, or a folder of this user among the temporary files: the
 * first that is safe.
 *
 * <p>Libraries are loaded from it, so no other user may be able to change or replace it. It belongs
 * to this user, and only this user can write to it. Each folder above it belongs to this user or
 * root, and if others can write there, its sticky bit protects files of other users. Symbolic links
 * are resolved first: the checked folder is the used one. For root, every owner must be root, so
 * {@code sudo varve} leaves nothing in a home that its owner could not use or delete.
 *
 * <p>The launcher follows the same rules.
 */
public final class CacheFolder {
    private static final String VARIABLE = "VARVE_CACHE";
    private static final String NAME = "varve";

    /** Thrown if a folder is unsafe; the message holds the reason. */
    private static final class RefusedException extends Exception {
        RefusedException(String reason) {
            super(reason);
        }
    }

    private final Function<String, Optional<String>> environment;
    private final List<String> refused = new ArrayList<>();

    private CacheFolder(Function<String, Optional<String>> environment) {
        this.environment = environment;
    }

    /**
     * Returns the folder. {@code VARVE_CACHE} may not exist, and the caller then creates it; any
     * other folder is created here if it is missing.
     *
     * @param environment returns the value of a variable that is set and not blank
     * @throws VarveException of kind UNAVAILABLE if no folder is safe
     */
    public static Path of(Function<String, Optional<String>> environment) {
        return new CacheFolder(environment).find();
    }

    private Path find() {
        return environment
                .apply(VARIABLE)
                .map(Path::of)
                .or(this::named)
                .or(this::inHome)
                .or(this::temporary)
                .orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.UNAVAILABLE,
                                        "expected a folder for unpacked libraries, found none: "
                                                + String.join("; ", refused)
                                                + "; set "
                                                + VARIABLE
                                                + " to a folder of your own"));
    }

    private Optional<Path> named() {
        return environment
                .apply("XDG_CACHE_HOME")
                .map(Path::of)
                .filter(Path::isAbsolute)
                .map(folder -> folder.resolve(NAME))
                .flatMap(this::own);
    }

    private Optional<Path> inHome() {
        Path home =
                Path.of(
                        environment
                                .apply("HOME")
                                .orElseGet(() -> System.getProperty("user.home", "")));
        if (!home.isAbsolute() || !Files.isDirectory(home)) {
            refused.add("the home folder is missing: " + home);
            return Optional.empty();
        }
        return own(home.resolve(".cache").resolve(NAME));
    }

    private Optional<Path> own(Path folder) {
        try {
            Path real = real(folder);
            requireOwn(real);
            return Optional.of(real);
        } catch (RefusedException e) {
            refused.add(e.getMessage());
        } catch (IOException e) {
            refused.add(folder + ": " + FileErrors.reason(e));
        }
        return Optional.empty();
    }

    /**
     * Folder among the temporary files. Other users know its name and may have created it; a link
     * of theirs must not be followed.
     */
    private Optional<Path> temporary() {
        Path among =
                Path.of(
                                environment
                                        .apply("TMPDIR")
                                        .orElseGet(() -> System.getProperty("java.io.tmpdir")))
                        .toAbsolutePath();
        try {
            Path folder = among.resolve(NAME + "-" + user());
            if (!Files.isDirectory(among)) {
                refused.add("the folder is missing: " + among);
                return Optional.empty();
            }
            if (Files.isSymbolicLink(folder)) {
                refused.add(folder + " is a symbolic link");
                return Optional.empty();
            }
            return own(folder);
        } catch (IOException e) {
            refused.add(among + ": " + FileErrors.reason(e));
            return Optional.empty();
        }
    }

    /** Creates the folder if it is missing, and each missing parent only in a safe folder. */
    private static Path real(Path folder) throws IOException, RefusedException {
        Path existing = folder;
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            Path parent = real(folder.getParent());
            requireWritable(parent);
            existing = parent.resolve(folder.getFileName());
            make(existing);
        }
        Path real = existing.toRealPath();
        for (Path each = real; each != null; each = each.getParent()) {
            requireSafe(each);
        }
        return real;
    }

    /** Creates a folder. Its mode is set, since a umask may let the group write. */
    private static void make(Path folder) throws IOException {
        try {
            Files.createDirectory(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            // Another start created it first, or another user, whose folder is rejected.
        }
    }

    private static void requireSafe(Path folder) throws IOException, RefusedException {
        refuse(FilePermissionCheck.replaceable(folder));
    }

    private static void requireOwn(Path folder) throws IOException, RefusedException {
        requireWritable(folder);
        refuse(FilePermissionCheck.writableByOthers(folder));
    }

    private static void refuse(Optional<String> reason) throws RefusedException {
        if (reason.isPresent()) {
            throw new RefusedException(reason.get());
        }
    }

    private static void requireWritable(Path folder) throws RefusedException {
        if (!Files.isDirectory(folder)
                || !Files.isWritable(folder)
                || !Files.isExecutable(folder)) {
            throw new RefusedException(folder + " is not a folder that this user can write to");
        }
    }

    /** Id of this user. Java reports only the user's name, which a container may not have. */
    private static int user() throws IOException {
        return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }
}
