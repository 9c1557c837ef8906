package dev.varve.plugin.cuda;

import dev.varve.api.VarveException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Opens the system libraries that ggml's CUDA library needs and does not contain. The dynamic
 * loader searches first. A runtime library that it does not find is opened by its path, after which
 * the loader uses it for ggml's library, too: it compares names of libraries, not paths.
 *
 * @param open opens a library by name or path; returns the loader's message if that fails
 * @param folders where else to look, in order
 */
record CudaLibraries(Function<String, Optional<String>> open, List<Path> folders) {
    private record Needed(String name, List<String> opensFirst, String hint) {}

    private static final String TOOLKIT =
            "; Varve also looks in the toolkit's folder and in Python packages; if it is elsewhere,"
                    + " add the folder to LD_LIBRARY_PATH";

    private static final List<Needed> NEEDED =
            List.of(
                    new Needed(
                            "libcuda.so.1",
                            List.of(),
                            "install NVIDIA's driver, version 580 or later (Debian: libcuda1)"),
                    new Needed(
                            "libcudart.so.13",
                            List.of(),
                            "install the CUDA 13 runtime (NVIDIA's packages: cuda-cudart-13-0)"
                                    + TOOLKIT),
                    new Needed(
                            "libcublas.so.13",
                            List.of("libcublasLt.so.13"),
                            "install cuBLAS 13 (NVIDIA's packages: libcublas-13-0)" + TOOLKIT));

    /** Copies the list. */
    CudaLibraries {
        folders = List.copyOf(folders);
    }

    /**
     * Opens all of them.
     *
     * @return the files that were opened by their path; empty if the loader found all libraries
     * @throws VarveException of kind UNAVAILABLE at the first library that is missing
     */
    List<Path> openAll() {
        List<Path> files = new ArrayList<>();
        for (Needed needed : NEEDED) {
            Optional<String> failure = open.apply(needed.name());
            if (failure.isPresent()) {
                files.add(
                        openByPath(needed)
                                .orElseThrow(
                                        () ->
                                                new VarveException(
                                                        VarveException.Kind.UNAVAILABLE,
                                                        failure.get()
                                                                + " ("
                                                                + needed.hint()
                                                                + ")")));
            }
        }
        return List.copyOf(files);
    }

    private Optional<Path> openByPath(Needed needed) {
        return folders.stream()
                .map(folder -> folder.resolve(needed.name()))
                .filter(
                        file -> {
                            // May fail: only some packages split the library.
                            needed.opensFirst()
                                    .forEach(
                                            name ->
                                                    open.apply(
                                                            file.resolveSibling(name).toString()));
                            return open.apply(file.toString()).isEmpty();
                        })
                .findFirst();
    }
}
