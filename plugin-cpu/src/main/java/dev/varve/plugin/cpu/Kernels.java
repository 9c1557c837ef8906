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
 * Varve's own operators for the processor ({@code natives/kernels}), compiled for an instruction
 * set. The loaded ggml may differ from the build that they reproduce, so each is compared with
 * ggml's before it is used.
 *
 * @param library their file
 * @param instructions the instruction set, which the processor must support
 */
record Kernels(Path library, String instructions) {
    private static final System.Logger LOG = System.getLogger(Kernels.class.getName());

    static final String LIBRARY = "libvarve-kernels.so";

    /**
     * Loads an operator.
     *
     * @throws VarveException of kind UNAVAILABLE if the library cannot be loaded
     */
    NativeOperator operator(String name) {
        return NativeOperator.load(library, "varve_" + name + "_" + instructions);
    }

    /**
     * Creates an object that uses them, if the processor supports it and the results have ggml's
     * bits.
     *
     * @param otherwise description of the fallback, for the log
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
                    otherwise + ": this ggml adds in a different order than Varve's kernel");
        } catch (VarveException e) {
            LOG.log(System.Logger.Level.INFO, otherwise + ": " + e.getMessage());
        }
        return Optional.empty();
    }

    /** The widest set that ggml was compiled for, and therefore uses. */
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
