package dev.varve.api.ggml;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Optional;

/**
 * Result and parameters of a C function.
 *
 * @param result empty for {@code void}
 */
record Signature(Optional<CType> result, List<CType> parameters) {
    Signature {
        parameters = List.copyOf(parameters);
    }

    /** As the linker takes it. */
    FunctionDescriptor descriptor() {
        MemoryLayout[] layouts =
                parameters.stream().map(CType::layout).toArray(MemoryLayout[]::new);
        return result.map(type -> FunctionDescriptor.of(type.layout(), layouts))
                .orElseGet(() -> FunctionDescriptor.ofVoid(layouts));
    }

    /**
     * Gives a handle of {@link #descriptor} the pointer types in place of {@link MemorySegment}.
     */
    MethodHandle typed(MethodHandle handle) {
        MethodHandle[] filters =
                parameters.stream()
                        .map(type -> type.pointer().map(CType.Wrapper::unwrap).orElse(null))
                        .toArray(MethodHandle[]::new);
        MethodHandle unwrapping = MethodHandles.filterArguments(handle, 0, filters);
        return result.flatMap(CType::pointer)
                .map(pointer -> MethodHandles.filterReturnValue(unwrapping, pointer.wrap()))
                .orElse(unwrapping);
    }
}
