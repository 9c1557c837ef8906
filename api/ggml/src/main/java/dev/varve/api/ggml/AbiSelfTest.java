package dev.varve.api.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.varve.api.ggml.Pointer.ContextPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;

import java.lang.foreign.MemorySegment;

/**
 * Compares the struct layouts, type tables and calls of this binding with the loaded library, by
 * building tensors through it and reading their fields. A library with another layout would be read
 * as garbage or crash later, and so would arguments that arrive in other places.
 */
final class AbiSelfTest {
    private static final long TENSOR_OVERHEAD = 368;
    private static final int OP_VIEW = 37;

    /** Offset of {@code op_params}. */
    private static final long PARAMETERS = Tensor.OPERATOR + Integer.BYTES;

    private AbiSelfTest() {}

    static void run() {
        require(
                CoreApi.tensorOverhead() == TENSOR_OVERHEAD,
                "size of a tensor object",
                TENSOR_OVERHEAD,
                CoreApi.tensorOverhead());
        for (GgmlType type : GgmlType.values()) {
            require(
                    CoreApi.blckSize(type.id()) == type.blockSize(),
                    "block size of " + type.ggufName(),
                    type.blockSize(),
                    CoreApi.blckSize(type.id()));
            require(
                    CoreApi.typeSize(type.id()) == type.typeSize(),
                    "block bytes of " + type.ggufName(),
                    type.typeSize(),
                    CoreApi.typeSize(type.id()));
        }
        runOnTensor();
        runOnPlacedTensor();
        runOnArguments();
    }

    private static void runOnTensor() {
        try (GgmlContext context = GgmlContext.open(4, 8)) {
            Tensor tensor = context.newTensor(GgmlType.Q8_0, 64, 3, 5, 7).named("abi");
            TensorPtr struct = tensor.pointer();
            require(
                    tensor.type() == GgmlType.Q8_0,
                    "ggml_tensor.type",
                    GgmlType.Q8_0,
                    tensor.type());
            long[] ne = {64, 3, 5, 7};
            long[] nb = {34, 68, 68 * 3, 68 * 15};
            for (int i = 0; i < ne.length; i++) {
                require(tensor.ne(i) == ne[i], "ggml_tensor.ne[" + i + "]", ne[i], tensor.ne(i));
                require(tensor.nb(i) == nb[i], "ggml_tensor.nb[" + i + "]", nb[i], tensor.nb(i));
            }
            require(
                    CoreApi.nbytes(struct) == tensor.bytes(),
                    "bytes of a tensor",
                    tensor.bytes(),
                    CoreApi.nbytes(struct));
            require(!tensor.isPlaced(), "ggml_tensor.data", "null", "a pointer");
            require(tensor.name().equals("abi"), "ggml_tensor.name", "abi", tensor.name());
            Tensor view = context.ops().view1d(tensor, 64, 68);
            require(
                    view.viewSource().isSame(struct),
                    "ggml_tensor.view_src",
                    struct,
                    view.viewSource());
            MemorySegment fields = view.pointer().address();
            long offset = fields.get(JAVA_LONG, Tensor.VIEW_OFFSET);
            require(offset == 68, "ggml_tensor.view_offs", 68, offset);
            TensorPtr source = new TensorPtr(fields.get(ADDRESS, Tensor.SOURCES));
            require(source.isSame(struct), "ggml_tensor.src[0]", struct, source);
            require(view.operator() == OP_VIEW, "ggml_tensor.op", OP_VIEW, view.operator());
            Graph graph = context.newGraph(8);
            graph.expand(view);
            require(graph.nodes() == 1, "nodes of a graph", 1, graph.nodes());
        }
    }

    private static void runOnPlacedTensor() {
        BufferType type = new BufferType(BackendApi.cpuBufferType());
        try (GgmlContext context = GgmlContext.open(1, 0);
                DeviceBuffer buffer = type.allocate(4 * type.alignment())) {
            Tensor tensor = context.newTensor(GgmlType.F32, 8);
            buffer.place(tensor, type.alignment());
            long data = BackendApi.bufferGetBase(buffer.pointer()).address() + type.alignment();
            require(
                    tensor.data().address() == data,
                    "ggml_tensor.data",
                    data,
                    tensor.data().address());
            require(
                    tensor.buffer().isSame(buffer.pointer()),
                    "ggml_tensor.buffer",
                    buffer.pointer(),
                    tensor.buffer());
        }
    }

    /**
     * A rotation keeps its arguments: whole numbers, of which some are on the stack, and floats.
     */
    @SuppressWarnings("restricted")
    private static void runOnArguments() {
        ContextPtr context = CoreApi.init(4 * TENSOR_OVERHEAD);
        try {
            TensorPtr rows = CoreApi.newTensor4d(context, GgmlType.F32.id(), 8, 1, 2, 1);
            TensorPtr positions = CoreApi.newTensor4d(context, GgmlType.I32.id(), 2, 1, 1, 1);
            TensorPtr rotated =
                    OpsApi.ropeExt(
                            context, rows, positions, TensorPtr.NULL, 4, 2, -3, 5, 6, 7, 8, 9, 10);
            MemorySegment kept = rotated.address().reinterpret(TENSOR_OVERHEAD);
            requireArgument(kept, 1, 4);
            requireArgument(kept, 2, 2);
            requireArgument(kept, 4, -3);
            for (int i = 5; i <= 10; i++) {
                requireArgument(kept, i, Float.floatToRawIntBits(i));
            }
        } finally {
            CoreApi.free(context);
        }
    }

    private static void requireArgument(MemorySegment tensor, int index, int expected) {
        int found = tensor.get(JAVA_INT, PARAMETERS + (long) index * Integer.BYTES);
        require(found == expected, "ggml_tensor.op_params[" + index + "]", expected, found);
    }

    private static void require(boolean valid, String field, Object expected, Object found) {
        if (!valid) {
            throw GgmlLibrary.unavailable(
                    "the ggml library has another layout than this build of Varve expects: "
                            + field
                            + ": expected "
                            + expected
                            + ", found "
                            + found,
                    null);
        }
    }
}
