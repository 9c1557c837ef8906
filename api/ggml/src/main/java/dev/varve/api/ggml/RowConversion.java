package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_INT64;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.returnsNothing;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.varve.api.VarveException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Optional;

/** ggml's own conversion of rows of a type to floats, on the processor. */
public final class RowConversion {
    private static final long TRAITS_BYTES = 56;
    private static final long BLOCK_SIZE = 8;
    private static final long BLOCK_BYTES = 24;
    private static final long TO_FLOAT = 40;

    private RowConversion() {}

    /**
     * {@code void to_float(ptr source, ptr target, i64 elements)}; empty for floats.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none
     */
    @SuppressWarnings("restricted")
    static Optional<MethodHandle> of(GgmlType type) {
        if (type == GgmlType.F32) {
            return Optional.empty();
        }
        MemorySegment traits = CoreApi.getTypeTraits(type.id()).reinterpret(TRAITS_BYTES);
        MemorySegment function = traits.get(ADDRESS, TO_FLOAT);
        if (traits.get(JAVA_LONG, BLOCK_SIZE) != type.blockSize()
                || traits.get(JAVA_LONG, BLOCK_BYTES) != type.typeSize()
                || Native.isNull(function)) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "ggml has no conversion of " + type.ggufName() + " to floats");
        }
        return Optional.of(
                Native.bindPointer(function, returnsNothing(C_POINTER, C_POINTER, C_INT64)));
    }

    /**
     * Converts whole blocks of elements.
     *
     * @param source exactly the bytes of {@code target.length} elements
     * @throws IllegalArgumentException if {@code source} has another length
     * @throws VarveException of kind UNAVAILABLE if the type has no conversion
     */
    public static void toFloats(GgmlType type, ByteBuffer source, float[] target) {
        if (target.length % type.blockSize() != 0
                || source.remaining() != type.rowBytes(target.length)) {
            throw new IllegalArgumentException(
                    source.remaining()
                            + " bytes for "
                            + target.length
                            + " elements of "
                            + type.ggufName());
        }
        Optional<MethodHandle> conversion = of(type);
        MemorySegment bytes = MemorySegment.ofBuffer(source);
        if (conversion.isEmpty()) {
            MemorySegment.copy(bytes, JAVA_FLOAT_UNALIGNED, 0, target, 0, target.length);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = bytes.isNative() ? bytes : arena.allocate(bytes.byteSize(), 8);
            if (!bytes.isNative()) {
                MemorySegment.copy(bytes, 0, from, 0, bytes.byteSize());
            }
            MemorySegment floats = arena.allocate((long) target.length * Float.BYTES, Long.BYTES);
            MethodHandle convert = conversion.get();
            NativeCall.call(
                    convert, NativeCall.pointer(from), NativeCall.pointer(floats), target.length);
            Reference.reachabilityFence(from);
            MemorySegment.copy(floats, JAVA_FLOAT_UNALIGNED, 0, target, 0, target.length);
        }
    }
}
