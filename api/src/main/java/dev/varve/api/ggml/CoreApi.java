package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_BOOL;
import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_INT64;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.bind;
import static dev.varve.api.ggml.Native.bindLeaf;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** ggml.h without the operators: contexts, tensors, graphs, hooks. */
final class CoreApi {
    /** {@code ptr ggml_version()} */
    private static final MethodHandle VERSION = bindLeaf("ggml_version", returns(C_POINTER));

    static MemorySegment version() {
        try {
            return (MemorySegment) VERSION.invokeExact();
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_commit()} */
    private static final MethodHandle COMMIT = bindLeaf("ggml_commit", returns(C_POINTER));

    static MemorySegment commit() {
        try {
            return (MemorySegment) COMMIT.invokeExact();
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_tensor_overhead()} */
    private static final MethodHandle TENSOR_OVERHEAD =
            bindLeaf("ggml_tensor_overhead", returns(C_SIZE_T));

    static long tensorOverhead() {
        try {
            return (long) TENSOR_OVERHEAD.invokeExact();
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_graph_overhead_custom(size size, bool grads)} */
    private static final MethodHandle GRAPH_OVERHEAD_CUSTOM =
            bindLeaf("ggml_graph_overhead_custom", returns(C_SIZE_T, C_SIZE_T, C_BOOL));

    static long graphOverheadCustom(long size, boolean grads) {
        try {
            return (long) GRAPH_OVERHEAD_CUSTOM.invokeExact(size, grads);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code i64 ggml_blck_size(int type)} */
    private static final MethodHandle BLCK_SIZE =
            bindLeaf("ggml_blck_size", returns(C_INT64, C_INT));

    static long blckSize(int type) {
        try {
            return (long) BLCK_SIZE.invokeExact(type);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_type_size(int type)} */
    private static final MethodHandle TYPE_SIZE =
            bindLeaf("ggml_type_size", returns(C_SIZE_T, C_INT));

    static long typeSize(int type) {
        try {
            return (long) TYPE_SIZE.invokeExact(type);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_nbytes(ptr tensor)} */
    private static final MethodHandle NBYTES =
            bindLeaf("ggml_nbytes", returns(C_SIZE_T, C_POINTER));

    static long nbytes(MemorySegment tensor) {
        try {
            return (long) NBYTES.invokeExact(tensor);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_free(ptr context)} */
    private static final MethodHandle FREE = bind("ggml_free", returnsNothing(C_POINTER));

    static void free(MemorySegment context) {
        try {
            FREE.invokeExact(context);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_new_tensor_4d(ptr context, int type, i64 ne0, i64 ne1, i64 ne2, i64 ne3)} */
    private static final MethodHandle NEW_TENSOR_4D =
            bind(
                    "ggml_new_tensor_4d",
                    returns(C_POINTER, C_POINTER, C_INT, C_INT64, C_INT64, C_INT64, C_INT64));

    static MemorySegment newTensor4d(
            MemorySegment context, int type, long ne0, long ne1, long ne2, long ne3) {
        try {
            return (MemorySegment) NEW_TENSOR_4D.invokeExact(context, type, ne0, ne1, ne2, ne3);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_set_name(ptr tensor, ptr name)} */
    private static final MethodHandle SET_NAME =
            bindLeaf("ggml_set_name", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment setName(MemorySegment tensor, MemorySegment name) {
        try {
            return (MemorySegment) SET_NAME.invokeExact(tensor, name);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_set_input(ptr tensor)} */
    private static final MethodHandle SET_INPUT =
            bindLeaf("ggml_set_input", returnsNothing(C_POINTER));

    static void setInput(MemorySegment tensor) {
        try {
            SET_INPUT.invokeExact(tensor);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_set_output(ptr tensor)} */
    private static final MethodHandle SET_OUTPUT =
            bindLeaf("ggml_set_output", returnsNothing(C_POINTER));

    static void setOutput(MemorySegment tensor) {
        try {
            SET_OUTPUT.invokeExact(tensor);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_new_graph_custom(ptr context, size size, bool grads)} */
    private static final MethodHandle NEW_GRAPH_CUSTOM =
            bind("ggml_new_graph_custom", returns(C_POINTER, C_POINTER, C_SIZE_T, C_BOOL));

    static MemorySegment newGraphCustom(MemorySegment context, long size, boolean grads) {
        try {
            return (MemorySegment) NEW_GRAPH_CUSTOM.invokeExact(context, size, grads);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_build_forward_expand(ptr graph, ptr tensor)} */
    private static final MethodHandle BUILD_FORWARD_EXPAND =
            bind("ggml_build_forward_expand", returnsNothing(C_POINTER, C_POINTER));

    static void buildForwardExpand(MemorySegment graph, MemorySegment tensor) {
        try {
            BUILD_FORWARD_EXPAND.invokeExact(graph, tensor);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code int ggml_graph_n_nodes(ptr graph)} */
    private static final MethodHandle GRAPH_N_NODES =
            bindLeaf("ggml_graph_n_nodes", returns(C_INT, C_POINTER));

    static int graphNNodes(MemorySegment graph) {
        try {
            return (int) GRAPH_N_NODES.invokeExact(graph);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_graph_node(ptr graph, int index)} */
    private static final MethodHandle GRAPH_NODE =
            bindLeaf("ggml_graph_node", returns(C_POINTER, C_POINTER, C_INT));

    static MemorySegment graphNode(MemorySegment graph, int index) {
        try {
            return (MemorySegment) GRAPH_NODE.invokeExact(graph, index);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_op_desc(ptr tensor)} */
    private static final MethodHandle OP_DESC =
            bindLeaf("ggml_op_desc", returns(C_POINTER, C_POINTER));

    static MemorySegment opDesc(MemorySegment tensor) {
        try {
            return (MemorySegment) OP_DESC.invokeExact(tensor);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_get_type_traits(int type)} */
    private static final MethodHandle GET_TYPE_TRAITS =
            bindLeaf("ggml_get_type_traits", returns(C_POINTER, C_INT));

    static MemorySegment getTypeTraits(int type) {
        try {
            return (MemorySegment) GET_TYPE_TRAITS.invokeExact(type);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_log_set(ptr callback, ptr user)} */
    private static final MethodHandle LOG_SET =
            bind("ggml_log_set", returnsNothing(C_POINTER, C_POINTER));

    static void logSet(MemorySegment callback, MemorySegment user) {
        try {
            LOG_SET.invokeExact(callback, user);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_set_abort_callback(ptr callback)} */
    private static final MethodHandle SET_ABORT_CALLBACK =
            bind("ggml_set_abort_callback", returns(C_POINTER, C_POINTER));

    static MemorySegment setAbortCallback(MemorySegment callback) {
        try {
            return (MemorySegment) SET_ABORT_CALLBACK.invokeExact(callback);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /**
     * {@code size ggml_quantize_chunk(int type, ptr source, ptr target, i64 start, i64 rows, i64
     * rowLength, ptr importance)}
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
        try {
            return (long)
                    QUANTIZE_CHUNK.invokeExact(
                            type, source, target, start, rows, rowLength, importance);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    private CoreApi() {}
}
