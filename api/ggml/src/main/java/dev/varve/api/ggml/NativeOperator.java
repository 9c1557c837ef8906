package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Pointer.TensorPtr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;

/**
 * An operator that ggml does not have: a function of another library, which the CPU backend calls
 * with each of its threads ({@code ggml_custom_4d}). Never unloaded.
 *
 * <p>The function does not check its tensors. The caller that adds a node for it checks types,
 * extents and strides.
 */
public final class NativeOperator {
    private static final int ALL_THREADS = -1;

    private final String name;
    private final MemorySegment function;

    private NativeOperator(String name, MemorySegment function) {
        this.name = name;
        this.function = function;
    }

    /**
     * Loads an operator.
     *
     * @param library file of the library
     * @param function name of a {@code ggml_custom_op_t}
     * @throws VarveException of kind UNAVAILABLE if the library cannot be loaded or has no such
     *     function
     */
    @SuppressWarnings("restricted")
    public static NativeOperator load(Path library, String function) {
        try {
            return SymbolLookup.libraryLookup(library, Arena.global())
                    .find(function)
                    .map(address -> new NativeOperator(function, address))
                    .orElseThrow(
                            () ->
                                    GgmlLibrary.unavailable(
                                            library + ": function " + function + " is missing",
                                            null));
        } catch (IllegalArgumentException e) {
            throw GgmlLibrary.unavailable(library + " cannot be loaded: " + e.getMessage(), e);
        }
    }

    /** Creates a node of type F32. */
    TensorPtr node(GgmlContext context, Extents extents, List<Tensor> operands) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sources = arena.allocate(ADDRESS, operands.size());
            for (int i = 0; i < operands.size(); i++) {
                sources.setAtIndex(ADDRESS, i, context.use(operands.get(i)).address());
            }
            return OpsApi.custom4d(
                    context.count(1),
                    GgmlType.F32,
                    extents,
                    sources,
                    operands.size(),
                    function,
                    ALL_THREADS);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
