package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_BOOL;
import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_INT64;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.bind;
import static dev.varve.api.ggml.Native.bindLeaf;
import static dev.varve.api.ggml.Native.bindWithStructs;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;
import static dev.varve.api.ggml.NativeCall.call;
import static dev.varve.api.ggml.NativeCall.flag;
import static dev.varve.api.ggml.NativeCall.pointer;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.varve.api.ggml.Pointer.ContextPtr;
import dev.varve.api.ggml.Pointer.GraphPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;

/** ggml.h without the operators: contexts, tensors, graphs, hooks. */
final class CoreApi {
    /** {@code struct ggml_cgraph}, opaque here; about 100 bytes, and some reserve. */
    private static final MemoryLayout GRAPH_STRUCT =
            MemoryLayout.structLayout(MemoryLayout.sequenceLayout(32, JAVA_LONG));

    private static final StructLayout INIT_PARAMS =
            MemoryLayout.structLayout(
                    C_SIZE_T.withName("mem_size"),
                    C_POINTER.withName("mem_buffer"),
                    C_BOOL.withName("no_alloc"),
                    MemoryLayout.paddingLayout(7));

    /** {@code struct ggml_context * ggml_init(struct ggml_init_params params)} */
    private static final MethodHandle INIT =
            bindWithStructs("ggml_init", returns(C_POINTER, INIT_PARAMS));

    /** Creates a context of {@code bytes} for metadata alone. */
    static ContextPtr init(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = arena.allocate(INIT_PARAMS);
            params.set(C_SIZE_T, 0, bytes);
            params.set(C_BOOL, 16, true);
            return new ContextPtr(Native.call(() -> (MemorySegment) INIT.invokeExact(params)));
        }
    }

    /** {@code const char * ggml_version(void)} */
    private static final MethodHandle VERSION = bindLeaf("ggml_version", returns(C_POINTER));

    static String version() {
        return Native.string(MemorySegment.ofAddress(call(VERSION)));
    }

    /** {@code const char * ggml_commit(void)} */
    private static final MethodHandle COMMIT = bindLeaf("ggml_commit", returns(C_POINTER));

    static String commit() {
        return Native.string(MemorySegment.ofAddress(call(COMMIT)));
    }

    /** {@code size_t ggml_tensor_overhead(void)} */
    private static final MethodHandle TENSOR_OVERHEAD =
            bindLeaf("ggml_tensor_overhead", returns(C_SIZE_T));

    static long tensorOverhead() {
        return call(TENSOR_OVERHEAD);
    }

    /** {@code size_t ggml_graph_overhead_custom(size_t size, bool grads)} */
    private static final MethodHandle GRAPH_OVERHEAD_CUSTOM =
            bindLeaf("ggml_graph_overhead_custom", returns(C_SIZE_T, C_SIZE_T, C_BOOL));

    static long graphOverheadCustom(long size, boolean grads) {
        return call(GRAPH_OVERHEAD_CUSTOM, size, flag(grads));
    }

    /** {@code int64_t ggml_blck_size(enum ggml_type type)} */
    private static final MethodHandle BLCK_SIZE =
            bindLeaf("ggml_blck_size", returns(C_INT64, C_INT));

    static long blckSize(int type) {
        return call(BLCK_SIZE, type);
    }

    /** {@code size_t ggml_type_size(enum ggml_type type)} */
    private static final MethodHandle TYPE_SIZE =
            bindLeaf("ggml_type_size", returns(C_SIZE_T, C_INT));

    static long typeSize(int type) {
        return call(TYPE_SIZE, type);
    }

    /** {@code size_t ggml_nbytes(struct ggml_tensor * tensor)} */
    private static final MethodHandle NBYTES =
            bindLeaf("ggml_nbytes", returns(C_SIZE_T, C_POINTER));

    static long nbytes(TensorPtr tensor) {
        return call(NBYTES, tensor.raw());
    }

    /** {@code void ggml_free(struct ggml_context * context)} */
    private static final MethodHandle FREE = bind("ggml_free", returnsNothing(C_POINTER));

    static void free(ContextPtr context) {
        call(FREE, context.raw());
    }

    /**
     * {@code struct ggml_tensor * ggml_new_tensor_4d(struct ggml_context * context, enum ggml_type
     * type, int64_t ne0, int64_t ne1, int64_t ne2, int64_t ne3)}
     */
    private static final MethodHandle NEW_TENSOR_4D =
            bind(
                    "ggml_new_tensor_4d",
                    returns(C_POINTER, C_POINTER, C_INT, C_INT64, C_INT64, C_INT64, C_INT64));

    static TensorPtr newTensor4d(
            ContextPtr context, int type, long ne0, long ne1, long ne2, long ne3) {
        return new TensorPtr(
                MemorySegment.ofAddress(
                        call(NEW_TENSOR_4D, context.raw(), type, ne0, ne1, ne2, ne3)));
    }

    /** {@code void ggml_set_input(struct ggml_tensor * tensor)} */
    private static final MethodHandle SET_INPUT =
            bindLeaf("ggml_set_input", returnsNothing(C_POINTER));

    static void setInput(TensorPtr tensor) {
        call(SET_INPUT, tensor.raw());
    }

    /** {@code void ggml_set_output(struct ggml_tensor * tensor)} */
    private static final MethodHandle SET_OUTPUT =
            bindLeaf("ggml_set_output", returnsNothing(C_POINTER));

    static void setOutput(TensorPtr tensor) {
        call(SET_OUTPUT, tensor.raw());
    }

    /**
     * {@code struct ggml_cgraph * ggml_new_graph_custom(struct ggml_context * context, size_t size,
     * bool grads)}
     */
    private static final MethodHandle NEW_GRAPH_CUSTOM =
            bind("ggml_new_graph_custom", returns(C_POINTER, C_POINTER, C_SIZE_T, C_BOOL));

    static GraphPtr newGraphCustom(ContextPtr context, long size, boolean grads) {
        return new GraphPtr(
                MemorySegment.ofAddress(call(NEW_GRAPH_CUSTOM, context.raw(), size, flag(grads))));
    }

    /**
     * {@code void ggml_build_forward_expand(struct ggml_cgraph * graph, struct ggml_tensor *
     * tensor)}
     */
    private static final MethodHandle BUILD_FORWARD_EXPAND =
            bind("ggml_build_forward_expand", returnsNothing(C_POINTER, C_POINTER));

    static void buildForwardExpand(GraphPtr graph, TensorPtr tensor) {
        call(BUILD_FORWARD_EXPAND, graph.raw(), tensor.raw());
        Reference.reachabilityFence(graph);
    }

    /** {@code int ggml_graph_n_nodes(struct ggml_cgraph * graph)} */
    private static final MethodHandle GRAPH_N_NODES =
            bindLeaf("ggml_graph_n_nodes", returns(C_INT, C_POINTER));

    static int graphNNodes(GraphPtr graph) {
        int result = (int) call(GRAPH_N_NODES, graph.raw());
        Reference.reachabilityFence(graph);
        return result;
    }

    /**
     * {@code struct ggml_cgraph ggml_graph_view(struct ggml_cgraph * cgraph, int begin, int end)}
     */
    private static final MethodHandle GRAPH_VIEW =
            bindWithStructs("ggml_graph_view", returns(GRAPH_STRUCT, C_POINTER, C_INT, C_INT));

    /**
     * A range of the operators of a graph, which shares the graph's memory; freed when it is
     * unreachable.
     */
    static GraphPtr graphView(GraphPtr graph, int begin, int end) {
        SegmentAllocator memory = Arena.ofAuto();
        return new GraphPtr(
                Native.call(
                        () ->
                                (MemorySegment)
                                        GRAPH_VIEW.invokeExact(
                                                memory, graph.address(), begin, end)));
    }

    /** {@code struct ggml_tensor * ggml_graph_node(struct ggml_cgraph * graph, int index)} */
    private static final MethodHandle GRAPH_NODE =
            bindLeaf("ggml_graph_node", returns(C_POINTER, C_POINTER, C_INT));

    static TensorPtr graphNode(GraphPtr graph, int index) {
        TensorPtr result =
                new TensorPtr(MemorySegment.ofAddress(call(GRAPH_NODE, graph.raw(), index)));
        Reference.reachabilityFence(graph);
        return result;
    }

    /** {@code const char * ggml_op_desc(struct ggml_tensor * tensor)} */
    private static final MethodHandle OP_DESC =
            bindLeaf("ggml_op_desc", returns(C_POINTER, C_POINTER));

    static String opDesc(TensorPtr tensor) {
        return Native.string(MemorySegment.ofAddress(call(OP_DESC, tensor.raw())));
    }

    /** {@code const struct ggml_type_traits * ggml_get_type_traits(enum ggml_type type)} */
    private static final MethodHandle GET_TYPE_TRAITS =
            bindLeaf("ggml_get_type_traits", returns(C_POINTER, C_INT));

    static MemorySegment getTypeTraits(int type) {
        return MemorySegment.ofAddress(call(GET_TYPE_TRAITS, type));
    }

    /** {@code void ggml_log_set(ggml_log_callback callback, void * user)} */
    private static final MethodHandle LOG_SET =
            bind("ggml_log_set", returnsNothing(C_POINTER, C_POINTER));

    static void logSet(MemorySegment callback, MemorySegment user) {
        call(LOG_SET, pointer(callback), pointer(user));
        Reference.reachabilityFence(callback);
        Reference.reachabilityFence(user);
    }

    /** {@code ggml_abort_callback_t ggml_set_abort_callback(ggml_abort_callback_t callback)} */
    private static final MethodHandle SET_ABORT_CALLBACK =
            bind("ggml_set_abort_callback", returns(C_POINTER, C_POINTER));

    static MemorySegment setAbortCallback(MemorySegment callback) {
        MemorySegment result = MemorySegment.ofAddress(call(SET_ABORT_CALLBACK, pointer(callback)));
        Reference.reachabilityFence(callback);
        return result;
    }

    /**
     * {@code size_t ggml_quantize_chunk(enum ggml_type type, const float * source, void * target,
     * int64_t start, int64_t rows, int64_t rowLength, const float * importance)}
     */
    private static final MethodHandle QUANTIZE_CHUNK =
            bind(
                    "ggml_quantize_chunk",
                    returns(
                            C_SIZE_T, C_INT, C_POINTER, C_POINTER, C_INT64, C_INT64, C_INT64,
                            C_POINTER));

    static long quantizeChunk(
            int type,
            MemorySegment source,
            MemorySegment target,
            long start,
            long rows,
            long rowLength,
            MemorySegment importance) {
        long result =
                call(
                        QUANTIZE_CHUNK,
                        type,
                        pointer(source),
                        pointer(target),
                        start,
                        rows,
                        rowLength,
                        pointer(importance));
        Reference.reachabilityFence(source);
        Reference.reachabilityFence(target);
        Reference.reachabilityFence(importance);
        return result;
    }

    private CoreApi() {}
}
