package dev.varve.plugin.cpu;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.NativeOperator;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Operators of Varve's own for the processor ({@code natives/kernels}), compiled for a set of
 * instructions. ggml may be another build than the one that they were written after, so each is
 * compared with ggml's before it is used.
 *
 * @param library their file
 * @param instructions the set, which the processor must have
 */
record Kernels(Path library, String instructions) {
    private static final System.Logger LOG = System.getLogger(Kernels.class.getName());

    static final String LIBRARY = "libvarve-kernels.so";

    /**
     * One of them.
     *
     * @throws VarveException of kind UNAVAILABLE if the library cannot be loaded
     */
    NativeOperator operator(String name) {
        return NativeOperator.load(library, "varve_" + name + "_" + instructions);
    }

    /**
     * What is made of them, if it can be made for a processor and has ggml's bits there.
     *
     * @param otherwise what is done without it, for the log
     */
    static <T> Optional<T> find(
            GgmlDevice device,
            Path library,
            String otherwise,
            Function<Kernels, T> maker,
            Predicate<T> agrees) {
        Optional<String> instructions = instructions(device.features());
        if (instructions.isEmpty()) {
            return Optional.empty();
        }
        try {
            T found = maker.apply(new Kernels(library, instructions.get()));
            if (agrees.test(found)) {
                return Optional.of(found);
            }
            LOG.log(
                    System.Logger.Level.INFO,
                    otherwise + ": this ggml adds up in another order than Varve's kernel");
        } catch (VarveException e) {
            LOG.log(System.Logger.Level.INFO, otherwise + ": " + e.getMessage());
        }
        return Optional.empty();
    }

    /** The widest set that ggml was compiled for, and so computes with. */
    private static Optional<String> instructions(Map<String, String> features) {
        if (!features.containsKey("F16C") || !features.containsKey("FMA")) {
            return Optional.empty();
        }
        if (features.containsKey("AVX512")) {
            return Optional.of("avx512");
        }
        return features.containsKey("AVX2") ? Optional.of("avx2") : Optional.empty();
    }
}
