package dev.varve.plugin.hip;

import dev.varve.api.VarveException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Finds a HIP build of ggml and checks that it fits the ggml of this process.
 *
 * @param folders folders to search, in order
 * @param loadedBase the base library of this process
 * @param release its ggml release
 * @param whyMissing the reason that a library cannot be opened; empty if it can
 */
record HipLibrary(
        List<Path> folders,
        Path loadedBase,
        String release,
        Function<String, Optional<String>> whyMissing) {
    private static final String FILE = "libggml-hip.so";
    private static final String BASE = "libggml-base.so";

    /** Folders in which installations of ggml put their libraries. */
    static final List<Path> SYSTEM =
            List.of(
                    Path.of("/usr/local/lib"),
                    Path.of("/usr/lib/x86_64-linux-gnu"),
                    Path.of("/usr/lib64"),
                    Path.of("/usr/lib"),
                    Path.of("/opt/rocm/lib"));

    /**
     * The library.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, or if it belongs to another ggml
     *     release or needs what the system lacks
     */
    Path require() {
        Path file =
                folders.stream()
                        .map(folder -> folder.resolve(FILE))
                        .filter(Files::isRegularFile)
                        .findFirst()
                        .orElseThrow(this::notFound);
        LibraryFile library = new LibraryFile(file);
        if (!library.isLibrary()) {
            throw unavailable(file + ": expected a shared library, found another kind of file");
        }
        requireRelease(file);
        requireSameBase(library);
        whyMissing
                .apply(file.toAbsolutePath().toString())
                .ifPresent(
                        reason -> {
                            throw unavailable(
                                    file
                                            + " cannot be opened: "
                                            + reason
                                            + " (AMD's ROCm contains the HIP runtime, rocBLAS and"
                                            + " hipBLAS; add their folder to LD_LIBRARY_PATH if"
                                            + " necessary)");
                        });
        return file;
    }

    private VarveException notFound() {
        return unavailable(
                FILE
                        + " was not found in "
                        + folders.stream().map(Path::toString).collect(Collectors.joining(", "))
                        + "; build ggml "
                        + release
                        + " with GGML_HIP and GGML_BACKEND_DL, and set the folder of its libraries"
                        + " with --ggml-home or VARVE_GGML_HOME");
    }

    private void requireRelease(Path file) {
        Path base = file.resolveSibling(BASE);
        if (!Files.isRegularFile(base)) {
            throw unavailable(
                    file
                            + ": "
                            + BASE
                            + " is missing in the same folder, so its ggml release is unknown;"
                            + " expected "
                            + release);
        }
        String found = new LibraryFile(base).release().orElse("of an unknown release");
        if (!found.equals(release)) {
            throw unavailable(
                    file + " belongs to ggml " + found + ", but this process uses ggml " + release);
        }
    }

    /**
     * Requires the same name: with another one, the dynamic loader would load a second base
     * library.
     */
    private void requireSameBase(LibraryFile library) {
        Optional<String> wanted = library.baseName();
        Optional<String> loaded = new LibraryFile(loadedBase).baseName();
        if (wanted.isEmpty() || !wanted.equals(loaded)) {
            throw unavailable(
                    library.path()
                            + ": it requires "
                            + wanted.orElse("no ggml base library")
                            + ", but this process uses "
                            + loaded.orElse(loadedBase.toString())
                            + "; set its folder with --ggml-home or VARVE_GGML_HOME, so that the"
                            + " process also loads the base from there");
        }
    }

    private static VarveException unavailable(String message) {
        return new VarveException(VarveException.Kind.UNAVAILABLE, message);
    }
}
