package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_BOOL;
import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.bind;
import static dev.varve.api.ggml.Native.bindLeaf;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** ggml-backend.h and ggml-alloc.h: devices, buffers, transfers, computing. */
final class BackendApi {
    /** {@code void ggml_backend_load_all_from_path(ptr folder)} */
    private static final MethodHandle LOAD_ALL_FROM_PATH =
            bind("ggml_backend_load_all_from_path", returnsNothing(C_POINTER));

    static void loadAllFromPath(MemorySegment folder) {
        try {
            LOAD_ALL_FROM_PATH.invokeExact(folder);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_load(ptr file)} */
    private static final MethodHandle LOAD =
            bind("ggml_backend_load", returns(C_POINTER, C_POINTER));

    static MemorySegment load(MemorySegment file) {
        try {
            return (MemorySegment) LOAD.invokeExact(file);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_backend_dev_count()} */
    private static final MethodHandle DEV_COUNT = bind("ggml_backend_dev_count", returns(C_SIZE_T));

    static long devCount() {
        try {
            return (long) DEV_COUNT.invokeExact();
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_dev_get(size index)} */
    private static final MethodHandle DEV_GET =
            bind("ggml_backend_dev_get", returns(C_POINTER, C_SIZE_T));

    static MemorySegment devGet(long index) {
        try {
            return (MemorySegment) DEV_GET.invokeExact(index);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_backend_dev_get_props(ptr device, ptr props)} */
    private static final MethodHandle DEV_GET_PROPS =
            bind("ggml_backend_dev_get_props", returnsNothing(C_POINTER, C_POINTER));

    static void devGetProps(MemorySegment device, MemorySegment props) {
        try {
            DEV_GET_PROPS.invokeExact(device, props);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_dev_init(ptr device, ptr parameters)} */
    private static final MethodHandle DEV_INIT =
            bind("ggml_backend_dev_init", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment devInit(MemorySegment device, MemorySegment parameters) {
        try {
            return (MemorySegment) DEV_INIT.invokeExact(device, parameters);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_dev_buffer_type(ptr device)} */
    private static final MethodHandle DEV_BUFFER_TYPE =
            bind("ggml_backend_dev_buffer_type", returns(C_POINTER, C_POINTER));

    static MemorySegment devBufferType(MemorySegment device) {
        try {
            return (MemorySegment) DEV_BUFFER_TYPE.invokeExact(device);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_dev_backend_reg(ptr device)} */
    private static final MethodHandle DEV_BACKEND_REG =
            bind("ggml_backend_dev_backend_reg", returns(C_POINTER, C_POINTER));

    static MemorySegment devBackendReg(MemorySegment device) {
        try {
            return (MemorySegment) DEV_BACKEND_REG.invokeExact(device);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code bool ggml_backend_dev_supports_op(ptr device, ptr node)} */
    private static final MethodHandle DEV_SUPPORTS_OP =
            bind("ggml_backend_dev_supports_op", returns(C_BOOL, C_POINTER, C_POINTER));

    static boolean devSupportsOp(MemorySegment device, MemorySegment node) {
        try {
            return (boolean) DEV_SUPPORTS_OP.invokeExact(device, node);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /**
     * {@code ptr ggml_backend_dev_buffer_from_host_ptr(ptr device, ptr memory, size bytes, size
     * maxTensorBytes)}
     */
    private static final MethodHandle DEV_BUFFER_FROM_HOST_PTR =
            bind(
                    "ggml_backend_dev_buffer_from_host_ptr",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_SIZE_T, C_SIZE_T));

    static MemorySegment devBufferFromHostPtr(
            MemorySegment device, MemorySegment memory, long bytes, long maxTensorBytes) {
        try {
            return (MemorySegment)
                    DEV_BUFFER_FROM_HOST_PTR.invokeExact(device, memory, bytes, maxTensorBytes);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_reg_name(ptr registry)} */
    private static final MethodHandle REG_NAME =
            bind("ggml_backend_reg_name", returns(C_POINTER, C_POINTER));

    static MemorySegment regName(MemorySegment registry) {
        try {
            return (MemorySegment) REG_NAME.invokeExact(registry);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_reg_get_proc_address(ptr registry, ptr name)} */
    private static final MethodHandle REG_GET_PROC_ADDRESS =
            bind("ggml_backend_reg_get_proc_address", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment regGetProcAddress(MemorySegment registry, MemorySegment name) {
        try {
            return (MemorySegment) REG_GET_PROC_ADDRESS.invokeExact(registry, name);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_backend_free(ptr backend)} */
    private static final MethodHandle FREE = bind("ggml_backend_free", returnsNothing(C_POINTER));

    static void free(MemorySegment backend) {
        try {
            FREE.invokeExact(backend);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_name(ptr backend)} */
    private static final MethodHandle NAME =
            bind("ggml_backend_name", returns(C_POINTER, C_POINTER));

    static MemorySegment name(MemorySegment backend) {
        try {
            return (MemorySegment) NAME.invokeExact(backend);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code int ggml_backend_graph_compute(ptr backend, ptr graph)} */
    private static final MethodHandle GRAPH_COMPUTE =
            bind("ggml_backend_graph_compute", returns(C_INT, C_POINTER, C_POINTER));

    static int graphCompute(MemorySegment backend, MemorySegment graph) {
        try {
            return (int) GRAPH_COMPUTE.invokeExact(backend, graph);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_backend_synchronize(ptr backend)} */
    private static final MethodHandle SYNCHRONIZE =
            bind("ggml_backend_synchronize", returnsNothing(C_POINTER));

    static void synchronize(MemorySegment backend) {
        try {
            SYNCHRONIZE.invokeExact(backend);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_buft_name(ptr type)} */
    private static final MethodHandle BUFT_NAME =
            bind("ggml_backend_buft_name", returns(C_POINTER, C_POINTER));

    static MemorySegment buftName(MemorySegment type) {
        try {
            return (MemorySegment) BUFT_NAME.invokeExact(type);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_buft_alloc_buffer(ptr type, size bytes)} */
    private static final MethodHandle BUFT_ALLOC_BUFFER =
            bind("ggml_backend_buft_alloc_buffer", returns(C_POINTER, C_POINTER, C_SIZE_T));

    static MemorySegment buftAllocBuffer(MemorySegment type, long bytes) {
        try {
            return (MemorySegment) BUFT_ALLOC_BUFFER.invokeExact(type, bytes);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_backend_buft_get_alignment(ptr type)} */
    private static final MethodHandle BUFT_GET_ALIGNMENT =
            bind("ggml_backend_buft_get_alignment", returns(C_SIZE_T, C_POINTER));

    static long buftGetAlignment(MemorySegment type) {
        try {
            return (long) BUFT_GET_ALIGNMENT.invokeExact(type);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_backend_buft_get_max_size(ptr type)} */
    private static final MethodHandle BUFT_GET_MAX_SIZE =
            bind("ggml_backend_buft_get_max_size", returns(C_SIZE_T, C_POINTER));

    static long buftGetMaxSize(MemorySegment type) {
        try {
            return (long) BUFT_GET_MAX_SIZE.invokeExact(type);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_backend_buft_get_alloc_size(ptr type, ptr tensor)} */
    private static final MethodHandle BUFT_GET_ALLOC_SIZE =
            bind("ggml_backend_buft_get_alloc_size", returns(C_SIZE_T, C_POINTER, C_POINTER));

    static long buftGetAllocSize(MemorySegment type, MemorySegment tensor) {
        try {
            return (long) BUFT_GET_ALLOC_SIZE.invokeExact(type, tensor);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code bool ggml_backend_buft_is_host(ptr type)} */
    private static final MethodHandle BUFT_IS_HOST =
            bind("ggml_backend_buft_is_host", returns(C_BOOL, C_POINTER));

    static boolean buftIsHost(MemorySegment type) {
        try {
            return (boolean) BUFT_IS_HOST.invokeExact(type);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_backend_buffer_free(ptr buffer)} */
    private static final MethodHandle BUFFER_FREE =
            bind("ggml_backend_buffer_free", returnsNothing(C_POINTER));

    static void bufferFree(MemorySegment buffer) {
        try {
            BUFFER_FREE.invokeExact(buffer);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_buffer_get_base(ptr buffer)} */
    private static final MethodHandle BUFFER_GET_BASE =
            bind("ggml_backend_buffer_get_base", returns(C_POINTER, C_POINTER));

    static MemorySegment bufferGetBase(MemorySegment buffer) {
        try {
            return (MemorySegment) BUFFER_GET_BASE.invokeExact(buffer);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_backend_buffer_get_alignment(ptr buffer)} */
    private static final MethodHandle BUFFER_GET_ALIGNMENT =
            bind("ggml_backend_buffer_get_alignment", returns(C_SIZE_T, C_POINTER));

    static long bufferGetAlignment(MemorySegment buffer) {
        try {
            return (long) BUFFER_GET_ALIGNMENT.invokeExact(buffer);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_backend_buffer_get_alloc_size(ptr buffer, ptr tensor)} */
    private static final MethodHandle BUFFER_GET_ALLOC_SIZE =
            bind("ggml_backend_buffer_get_alloc_size", returns(C_SIZE_T, C_POINTER, C_POINTER));

    static long bufferGetAllocSize(MemorySegment buffer, MemorySegment tensor) {
        try {
            return (long) BUFFER_GET_ALLOC_SIZE.invokeExact(buffer, tensor);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_backend_buffer_get_size(ptr buffer)} */
    private static final MethodHandle BUFFER_GET_SIZE =
            bind("ggml_backend_buffer_get_size", returns(C_SIZE_T, C_POINTER));

    static long bufferGetSize(MemorySegment buffer) {
        try {
            return (long) BUFFER_GET_SIZE.invokeExact(buffer);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_backend_buffer_clear(ptr buffer, u8 value)} */
    private static final MethodHandle BUFFER_CLEAR =
            bind("ggml_backend_buffer_clear", returnsNothing(C_POINTER, JAVA_BYTE));

    static void bufferClear(MemorySegment buffer, byte value) {
        try {
            BUFFER_CLEAR.invokeExact(buffer, value);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_backend_buffer_set_usage(ptr buffer, int usage)} */
    private static final MethodHandle BUFFER_SET_USAGE =
            bind("ggml_backend_buffer_set_usage", returnsNothing(C_POINTER, C_INT));

    static void bufferSetUsage(MemorySegment buffer, int usage) {
        try {
            BUFFER_SET_USAGE.invokeExact(buffer, usage);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code bool ggml_backend_buffer_is_host(ptr buffer)} */
    private static final MethodHandle BUFFER_IS_HOST =
            bindLeaf("ggml_backend_buffer_is_host", returns(C_BOOL, C_POINTER));

    static boolean bufferIsHost(MemorySegment buffer) {
        try {
            return (boolean) BUFFER_IS_HOST.invokeExact(buffer);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_cpu_buffer_type()} */
    private static final MethodHandle CPU_BUFFER_TYPE =
            bind("ggml_backend_cpu_buffer_type", returns(C_POINTER));

    static MemorySegment cpuBufferType() {
        try {
            return (MemorySegment) CPU_BUFFER_TYPE.invokeExact();
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code int ggml_backend_tensor_alloc(ptr buffer, ptr tensor, ptr address)} */
    private static final MethodHandle TENSOR_ALLOC =
            bind("ggml_backend_tensor_alloc", returns(C_INT, C_POINTER, C_POINTER, C_POINTER));

    static int tensorAlloc(MemorySegment buffer, MemorySegment tensor, MemorySegment address) {
        try {
            return (int) TENSOR_ALLOC.invokeExact(buffer, tensor, address);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_backend_tensor_set(ptr tensor, ptr data, size offset, size bytes)} */
    private static final MethodHandle TENSOR_SET =
            bind(
                    "ggml_backend_tensor_set",
                    returnsNothing(C_POINTER, C_POINTER, C_SIZE_T, C_SIZE_T));

    static void tensorSet(MemorySegment tensor, MemorySegment data, long offset, long bytes) {
        try {
            TENSOR_SET.invokeExact(tensor, data, offset, bytes);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_backend_tensor_get(ptr tensor, ptr data, size offset, size bytes)} */
    private static final MethodHandle TENSOR_GET =
            bind(
                    "ggml_backend_tensor_get",
                    returnsNothing(C_POINTER, C_POINTER, C_SIZE_T, C_SIZE_T));

    static void tensorGet(MemorySegment tensor, MemorySegment data, long offset, long bytes) {
        try {
            TENSOR_GET.invokeExact(tensor, data, offset, bytes);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_backend_tensor_copy(ptr source, ptr target)} */
    private static final MethodHandle TENSOR_COPY =
            bind("ggml_backend_tensor_copy", returnsNothing(C_POINTER, C_POINTER));

    static void tensorCopy(MemorySegment source, MemorySegment target) {
        try {
            TENSOR_COPY.invokeExact(source, target);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_backend_alloc_ctx_tensors_from_buft(ptr context, ptr type)} */
    private static final MethodHandle ALLOC_CTX_TENSORS_FROM_BUFT =
            bind(
                    "ggml_backend_alloc_ctx_tensors_from_buft",
                    returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment allocCtxTensorsFromBuft(MemorySegment context, MemorySegment type) {
        try {
            return (MemorySegment) ALLOC_CTX_TENSORS_FROM_BUFT.invokeExact(context, type);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code ptr ggml_gallocr_new(ptr type)} */
    private static final MethodHandle GALLOCR_NEW =
            bind("ggml_gallocr_new", returns(C_POINTER, C_POINTER));

    static MemorySegment gallocrNew(MemorySegment type) {
        try {
            return (MemorySegment) GALLOCR_NEW.invokeExact(type);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_gallocr_free(ptr allocator)} */
    private static final MethodHandle GALLOCR_FREE =
            bind("ggml_gallocr_free", returnsNothing(C_POINTER));

    static void gallocrFree(MemorySegment allocator) {
        try {
            GALLOCR_FREE.invokeExact(allocator);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code bool ggml_gallocr_reserve(ptr allocator, ptr graph)} */
    private static final MethodHandle GALLOCR_RESERVE =
            bind("ggml_gallocr_reserve", returns(C_BOOL, C_POINTER, C_POINTER));

    static boolean gallocrReserve(MemorySegment allocator, MemorySegment graph) {
        try {
            return (boolean) GALLOCR_RESERVE.invokeExact(allocator, graph);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code bool ggml_gallocr_alloc_graph(ptr allocator, ptr graph)} */
    private static final MethodHandle GALLOCR_ALLOC_GRAPH =
            bind("ggml_gallocr_alloc_graph", returns(C_BOOL, C_POINTER, C_POINTER));

    static boolean gallocrAllocGraph(MemorySegment allocator, MemorySegment graph) {
        try {
            return (boolean) GALLOCR_ALLOC_GRAPH.invokeExact(allocator, graph);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code size ggml_gallocr_get_buffer_size(ptr allocator, int chunk)} */
    private static final MethodHandle GALLOCR_GET_BUFFER_SIZE =
            bind("ggml_gallocr_get_buffer_size", returns(C_SIZE_T, C_POINTER, C_INT));

    static long gallocrGetBufferSize(MemorySegment allocator, int chunk) {
        try {
            return (long) GALLOCR_GET_BUFFER_SIZE.invokeExact(allocator, chunk);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** {@code void ggml_threadpool_params_init(ptr parameters, int threads)} */
    private static final MethodHandle THREADPOOL_PARAMS_INIT =
            bind("ggml_threadpool_params_init", returnsNothing(C_POINTER, C_INT));

    static void threadpoolParamsInit(MemorySegment parameters, int threads) {
        try {
            THREADPOOL_PARAMS_INIT.invokeExact(parameters, threads);
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    private BackendApi() {}
}
