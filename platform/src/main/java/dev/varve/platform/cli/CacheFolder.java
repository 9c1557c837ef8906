package dev.varve.platform.cli;

import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the folder for what can be made again. {@code VARVE_CACHE} is taken as it is. Else it is
 * {@code varve} in {@code XDG_CACHE_HOME}, or in {@code .cache} of the home folder if there is one,
 * provided that this user can write there; and the administrator writes only into what belongs to
 * the administrator, so that {@code sudo varve} leaves nothing in a home that its owner could not
 * use or delete. Else it is a folder for this user alone among the temporary files.
 *
 * <p>The launcher follows the same rules.
 */
final class CacheFolder {
    private static final String VARIABLE = "VARVE_CACHE";
    private static final String NAME = "varve";
    private static final int ROOT = 0;
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_OTHERS = 022;
    private static final int OPEN_TO_OTHERS = 077;

    private final Environment environment;
    private final List<String> refused = new ArrayList<>();

    private CacheFolder(Environment environment) {
        this.environment = environment;
    }

    /**
     * Returns the folder; it may be missing, and is then made by who uses it.
     *
     * @throws VarveException of kind UNAVAILABLE if there is no safe place
     */
    static Path of(Environment environment) {
        return new CacheFolder(environment).find();
    }

    private Path find() {
        return environment
                .variable(VARIABLE)
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
                .variable("XDG_CACHE_HOME")
                .map(Path::of)
                .filter(Path::isAbsolute)
                .map(folder -> folder.resolve(NAME))
                .filter(this::isUsable);
    }

    private Optional<Path> inHome() {
        Path home =
                Path.of(
                        environment
                                .variable("HOME")
                                .orElseGet(() -> System.getProperty("user.home", "")));
        if (!home.isAbsolute() || !Files.isDirectory(home)) {
            refused.add("there is no home folder " + home);
            return Optional.empty();
        }
        return Optional.of(home.resolve(".cache").resolve(NAME)).filter(this::isUsable);
    }

    private boolean isUsable(Path folder) {
        Path existing = folder;
        while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS)) {
            existing = existing.getParent();
        }
        if (!Files.isDirectory(existing) || !Files.isWritable(existing)) {
            refused.add(existing + " is not a folder that this user can write to");
            return false;
        }
        try {
            if (user() == ROOT && owner(existing) != ROOT) {
                refused.add(existing + " belongs to another user than this one, the administrator");
                return false;
            }
            return true;
        } catch (IOException e) {
            refused.add(existing + ": " + e);
            return false;
        }
    }

    /** Safe although others know its name: nobody else can have made, entered or replaced it. */
    private Optional<Path> temporary() {
        Path among =
                Path.of(
                        environment
                                .variable("TMPDIR")
                                .orElseGet(() -> System.getProperty("java.io.tmpdir")));
        try {
            Path folder = among.toAbsolutePath().resolve(NAME + "-" + user());
            int mode = mode(among);
            if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0) {
                refused.add(among + " lets others replace what is in it");
                return Optional.empty();
            }
            try {
                Files.createDirectory(
                        folder,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
            } catch (FileAlreadyExistsException e) {
                if (!isPrivate(folder)) {
                    refused.add(folder + " is not a folder of this user alone");
                    return Optional.empty();
                }
            }
            return Optional.of(folder);
        } catch (IOException e) {
            refused.add(among + ": " + e);
            return Optional.empty();
        }
    }

    private static boolean isPrivate(Path folder) throws IOException {
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && owner(folder) == user()
                && (mode(folder) & OPEN_TO_OTHERS) == 0;
    }

    private static int mode(Path folder) throws IOException {
        return (Integer) Files.getAttribute(folder, "unix:mode");
    }

    private static int owner(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:uid");
    }

    /** Java tells the user's name only, which a container may not have. */
    private static int user() throws IOException {
        return owner(Path.of("/proc/self"));
    }
}
