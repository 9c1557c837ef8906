package dev.varve.plugin.cuda;

import dev.varve.api.VarveException;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** System libraries that ggml's CUDA library needs and does not contain. */
final class CudaRuntime {
    private record Needed(String library, String hint) {}

    private static final String TOOLKIT =
            "; if it is in another folder, add the folder to LD_LIBRARY_PATH";

    private static final List<Needed> NEEDED =
            List.of(
                    new Needed(
                            "libcuda.so.1",
                            "install NVIDIA's driver, version 580 or later (Debian: libcuda1)"),
                    new Needed(
                            "libcudart.so.13",
                            "install the CUDA 13 runtime (NVIDIA's packages: cuda-cudart-13-0)"
                                    + TOOLKIT),
                    new Needed(
                            "libcublas.so.13",
                            "install cuBLAS 13 (NVIDIA's packages: libcublas-13-0)" + TOOLKIT));

    private CudaRuntime() {}

    /**
     * Fails at the first library that is missing.
     *
     * @param whyMissing the reason that a library cannot be opened; empty if it can
     */
    static void require(Function<String, Optional<String>> whyMissing) {
        for (Needed needed : NEEDED) {
            whyMissing
                    .apply(needed.library())
                    .ifPresent(
                            reason -> {
                                throw new VarveException(
                                        VarveException.Kind.UNAVAILABLE,
                                        reason + " (" + needed.hint() + ")");
                            });
        }
    }
}
