package dev.varve.platform.host;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The folders from which LoRA adapters may be loaded while a model runs: a client can name no other
 * file. Links that lead out of them are refused.
 *
 * @param folders the folders, with all folders below them
 */
record AdapterFolders(List<Path> folders) {
    /** Levels of folders that a search by name visits. */
    private static final int DEPTH = 8;

    /** Longest path that is looked up and repeated in messages, in characters. */
    private static final int LONGEST_PATH = 4096;

    /** Copies the list. */
    AdapterFolders {
        folders = List.copyOf(folders);
    }

    /**
     * Finds a file.
     *
     * @param path absolute, or relative to one of the folders
     * @throws VarveException of kind INVALID_REQUEST if there is no such file in the folders; also
     *     if it exists elsewhere, so that the message does not reveal it
     */
    Path find(String path) {
        if (path.length() > LONGEST_PATH) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "path: expected at most "
                            + LONGEST_PATH
                            + " characters, found "
                            + path.length());
        }
        return folders.stream()
                .flatMap(folder -> within(folder, path).stream())
                .findFirst()
                .orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.INVALID_REQUEST,
                                        "path: expected a file in the folders of "
                                                + Setting.LORA_DIR
                                                + " "
                                                + folders
                                                + ", found "
                                                + path));
    }

    private static Optional<Path> within(Path folder, String path) {
        try {
            Path file = folder.resolve(path).toRealPath();
            return Optional.of(file)
                    .filter(Files::isRegularFile)
                    .filter(real -> isBelow(folder, real));
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static boolean isBelow(Path folder, Path real) {
        try {
            return real.startsWith(folder.toRealPath());
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Finds all files with a name, for another process.
     *
     * @throws VarveException of kind UNREADABLE_FILE if a folder cannot be read
     */
    List<Path> named(String name) {
        List<Path> found = new ArrayList<>();
        for (Path folder : folders) {
            try (Stream<Path> files = Files.walk(folder, DEPTH)) {
                files.filter(file -> file.getFileName().toString().equals(name))
                        .filter(
                                file ->
                                        within(folder, file.toAbsolutePath().toString())
                                                .isPresent())
                        .sorted()
                        .forEach(found::add);
            } catch (IOException e) {
                throw unreadable(folder, e);
            } catch (UncheckedIOException e) {
                // The walk met a folder below that it cannot read.
                throw unreadable(folder, e.getCause());
            }
        }
        return found;
    }

    private static VarveException unreadable(Path folder, IOException failure) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                Setting.LORA_DIR + " " + folder + ": " + FileErrors.reason(failure),
                failure);
    }
}
