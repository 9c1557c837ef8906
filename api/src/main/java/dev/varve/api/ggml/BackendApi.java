package dev.varve.api.ggml;

import static dev.varve.api.ggml.CType.C_ALLOCATOR;
import static dev.varve.api.ggml.CType.C_BACKEND;
import static dev.varve.api.ggml.CType.C_BOOL;
import static dev.varve.api.ggml.CType.C_BUFFER;
import static dev.varve.api.ggml.CType.C_BUFFER_TYPE;
import static dev.varve.api.ggml.CType.C_CONTEXT;
import static dev.varve.api.ggml.CType.C_DEVICE;
import static dev.varve.api.ggml.CType.C_GRAPH;
import static dev.varve.api.ggml.CType.C_INT;
import static dev.varve.api.ggml.CType.C_POINTER;
import static dev.varve.api.ggml.CType.C_REGISTRY;
import static dev.varve.api.ggml.CType.C_SIZE_T;
import static dev.varve.api.ggml.CType.C_TENSOR;
import static dev.varve.api.ggml.CType.C_UINT8;
import static dev.varve.api.ggml.Native.bind;
import static dev.varve.api.ggml.Native.bindLeaf;
import static dev.varve.api.ggml.Native.call;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;
import static dev.varve.api.ggml.Native.run;

import dev.varve.api.ggml.Pointer.AllocatorPtr;
import dev.varve.api.ggml.Pointer.BackendPtr;
import dev.varve.api.ggml.Pointer.BufferPtr;
import dev.varve.api.ggml.Pointer.BufferTypePtr;
import dev.varve.api.ggml.Pointer.ContextPtr;
import dev.varve.api.ggml.Pointer.DevicePtr;
import dev.varve.api.ggml.Pointer.GraphPtr;
import dev.varve.api.ggml.Pointer.RegistryPtr;
import dev.varve.api.ggml.Pointer.TensorPtr;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * ggml-backend.h and ggml-alloc.h: devices, buffers, transfers, computing. One file, since it
 * follows the headers.
 */
final class BackendApi {
    /** {@code void ggml_backend_load_all_from_path(const char * folder)} */
    private static final MethodHandle LOAD_ALL_FROM_PATH =
            bind("ggml_backend_load_all_from_path", returnsNothing(C_POINTER));

    static void loadAllFromPath(MemorySegment folder) {
        run(
                () -> {
                    LOAD_ALL_FROM_PATH.invokeExact(folder);
                });
    }

    /** {@code ggml_backend_reg_t ggml_backend_load(const char * file)} */
    private static final MethodHandle LOAD =
            bind("ggml_backend_load", returns(C_REGISTRY, C_POINTER));

    static RegistryPtr load(MemorySegment file) {
        return call(() -> (RegistryPtr) LOAD.invokeExact(file));
    }

    /** {@code size_t ggml_backend_dev_count(void)} */
    private static final MethodHandle DEV_COUNT = bind("ggml_backend_dev_count", returns(C_SIZE_T));

    static long devCount() {
        return call(() -> (long) DEV_COUNT.invokeExact());
    }

    /** {@code ggml_backend_dev_t ggml_backend_dev_get(size_t index)} */
    private static final MethodHandle DEV_GET =
            bind("ggml_backend_dev_get", returns(C_DEVICE, C_SIZE_T));

    static DevicePtr devGet(long index) {
        return call(() -> (DevicePtr) DEV_GET.invokeExact(index));
    }

    /**
     * {@code void ggml_backend_dev_get_props(ggml_backend_dev_t device, struct
     * ggml_backend_dev_props * props)}
     */
    private static final MethodHandle DEV_GET_PROPS =
            bind("ggml_backend_dev_get_props", returnsNothing(C_DEVICE, C_POINTER));

    static void devGetProps(DevicePtr device, MemorySegment props) {
        run(
                () -> {
                    DEV_GET_PROPS.invokeExact(device, props);
                });
    }

    /**
     * {@code ggml_backend_t ggml_backend_dev_init(ggml_backend_dev_t device, const char *
     * parameters)}
     */
    private static final MethodHandle DEV_INIT =
            bind("ggml_backend_dev_init", returns(C_BACKEND, C_DEVICE, C_POINTER));

    static BackendPtr devInit(DevicePtr device, MemorySegment parameters) {
        return call(() -> (BackendPtr) DEV_INIT.invokeExact(device, parameters));
    }

    /**
     * {@code ggml_backend_buffer_type_t ggml_backend_dev_buffer_type(ggml_backend_dev_t device)}
     */
    private static final MethodHandle DEV_BUFFER_TYPE =
            bind("ggml_backend_dev_buffer_type", returns(C_BUFFER_TYPE, C_DEVICE));

    static BufferTypePtr devBufferType(DevicePtr device) {
        return call(() -> (BufferTypePtr) DEV_BUFFER_TYPE.invokeExact(device));
    }

    /** {@code ggml_backend_reg_t ggml_backend_dev_backend_reg(ggml_backend_dev_t device)} */
    private static final MethodHandle DEV_BACKEND_REG =
            bind("ggml_backend_dev_backend_reg", returns(C_REGISTRY, C_DEVICE));

    static RegistryPtr devBackendReg(DevicePtr device) {
        return call(() -> (RegistryPtr) DEV_BACKEND_REG.invokeExact(device));
    }

    /**
     * {@code bool ggml_backend_dev_supports_op(ggml_backend_dev_t device, struct ggml_tensor *
     * node)}
     */
    private static final MethodHandle DEV_SUPPORTS_OP =
            bind("ggml_backend_dev_supports_op", returns(C_BOOL, C_DEVICE, C_TENSOR));

    static boolean devSupportsOp(DevicePtr device, TensorPtr node) {
        return call(() -> (boolean) DEV_SUPPORTS_OP.invokeExact(device, node));
    }

    /**
     * {@code ggml_backend_buffer_t ggml_backend_dev_buffer_from_host_ptr(ggml_backend_dev_t device,
     * void * memory, size_t bytes, size_t maxTensorBytes)}
     */
    private static final MethodHandle DEV_BUFFER_FROM_HOST_PTR =
            bind(
                    "ggml_backend_dev_buffer_from_host_ptr",
                    returns(C_BUFFER, C_DEVICE, C_POINTER, C_SIZE_T, C_SIZE_T));

    static BufferPtr devBufferFromHostPtr(
            DevicePtr device, MemorySegment memory, long bytes, long maxTensorBytes) {
        return call(
                () ->
                        (BufferPtr)
                                DEV_BUFFER_FROM_HOST_PTR.invokeExact(
                                        device, memory, bytes, maxTensorBytes));
    }

    /** {@code const char * ggml_backend_reg_name(ggml_backend_reg_t registry)} */
    private static final MethodHandle REG_NAME =
            bind("ggml_backend_reg_name", returns(C_POINTER, C_REGISTRY));

    static String regName(RegistryPtr registry) {
        return call(() -> Native.string((MemorySegment) REG_NAME.invokeExact(registry)));
    }

    /**
     * {@code void * ggml_backend_reg_get_proc_address(ggml_backend_reg_t registry, const char *
     * name)}
     */
    private static final MethodHandle REG_GET_PROC_ADDRESS =
            bind("ggml_backend_reg_get_proc_address", returns(C_POINTER, C_REGISTRY, C_POINTER));

    static MemorySegment regGetProcAddress(RegistryPtr registry, MemorySegment name) {
        return call(() -> (MemorySegment) REG_GET_PROC_ADDRESS.invokeExact(registry, name));
    }

    /** {@code void ggml_backend_free(ggml_backend_t backend)} */
    private static final MethodHandle FREE = bind("ggml_backend_free", returnsNothing(C_BACKEND));

    static void free(BackendPtr backend) {
        run(
                () -> {
                    FREE.invokeExact(backend);
                });
    }

    /** {@code const char * ggml_backend_name(ggml_backend_t backend)} */
    private static final MethodHandle NAME =
            bind("ggml_backend_name", returns(C_POINTER, C_BACKEND));

    static String name(BackendPtr backend) {
        return call(() -> Native.string((MemorySegment) NAME.invokeExact(backend)));
    }

    /**
     * {@code enum ggml_status ggml_backend_graph_compute(ggml_backend_t backend, struct ggml_cgraph
     * * graph)}
     */
    private static final MethodHandle GRAPH_COMPUTE =
            bind("ggml_backend_graph_compute", returns(C_INT, C_BACKEND, C_GRAPH));

    static int graphCompute(BackendPtr backend, GraphPtr graph) {
        return call(() -> (int) GRAPH_COMPUTE.invokeExact(backend, graph));
    }

    /** {@code void ggml_backend_synchronize(ggml_backend_t backend)} */
    private static final MethodHandle SYNCHRONIZE =
            bind("ggml_backend_synchronize", returnsNothing(C_BACKEND));

    static void synchronize(BackendPtr backend) {
        run(
                () -> {
                    SYNCHRONIZE.invokeExact(backend);
                });
    }

    /** {@code const char * ggml_backend_buft_name(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_NAME =
            bind("ggml_backend_buft_name", returns(C_POINTER, C_BUFFER_TYPE));

    static String buftName(BufferTypePtr type) {
        return call(() -> Native.string((MemorySegment) BUFT_NAME.invokeExact(type)));
    }

    /**
     * {@code ggml_backend_buffer_t ggml_backend_buft_alloc_buffer(ggml_backend_buffer_type_t type,
     * size_t bytes)}
     */
    private static final MethodHandle BUFT_ALLOC_BUFFER =
            bind("ggml_backend_buft_alloc_buffer", returns(C_BUFFER, C_BUFFER_TYPE, C_SIZE_T));

    static BufferPtr buftAllocBuffer(BufferTypePtr type, long bytes) {
        return call(() -> (BufferPtr) BUFT_ALLOC_BUFFER.invokeExact(type, bytes));
    }

    /** {@code size_t ggml_backend_buft_get_alignment(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_GET_ALIGNMENT =
            bind("ggml_backend_buft_get_alignment", returns(C_SIZE_T, C_BUFFER_TYPE));

    static long buftGetAlignment(BufferTypePtr type) {
        return call(() -> (long) BUFT_GET_ALIGNMENT.invokeExact(type));
    }

    /** {@code size_t ggml_backend_buft_get_max_size(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_GET_MAX_SIZE =
            bind("ggml_backend_buft_get_max_size", returns(C_SIZE_T, C_BUFFER_TYPE));

    static long buftGetMaxSize(BufferTypePtr type) {
        return call(() -> (long) BUFT_GET_MAX_SIZE.invokeExact(type));
    }

    /**
     * {@code size_t ggml_backend_buft_get_alloc_size(ggml_backend_buffer_type_t type, struct
     * ggml_tensor * tensor)}
     */
    private static final MethodHandle BUFT_GET_ALLOC_SIZE =
            bind("ggml_backend_buft_get_alloc_size", returns(C_SIZE_T, C_BUFFER_TYPE, C_TENSOR));

    static long buftGetAllocSize(BufferTypePtr type, TensorPtr tensor) {
        return call(() -> (long) BUFT_GET_ALLOC_SIZE.invokeExact(type, tensor));
    }

    /** {@code bool ggml_backend_buft_is_host(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_IS_HOST =
            bind("ggml_backend_buft_is_host", returns(C_BOOL, C_BUFFER_TYPE));

    static boolean buftIsHost(BufferTypePtr type) {
        return call(() -> (boolean) BUFT_IS_HOST.invokeExact(type));
    }

    /** {@code void ggml_backend_buffer_free(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_FREE =
            bind("ggml_backend_buffer_free", returnsNothing(C_BUFFER));

    static void bufferFree(BufferPtr buffer) {
        run(
                () -> {
                    BUFFER_FREE.invokeExact(buffer);
                });
    }

    /** {@code void * ggml_backend_buffer_get_base(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_GET_BASE =
            bind("ggml_backend_buffer_get_base", returns(C_POINTER, C_BUFFER));

    static MemorySegment bufferGetBase(BufferPtr buffer) {
        return call(() -> (MemorySegment) BUFFER_GET_BASE.invokeExact(buffer));
    }

    /** {@code size_t ggml_backend_buffer_get_alignment(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_GET_ALIGNMENT =
            bind("ggml_backend_buffer_get_alignment", returns(C_SIZE_T, C_BUFFER));

    static long bufferGetAlignment(BufferPtr buffer) {
        return call(() -> (long) BUFFER_GET_ALIGNMENT.invokeExact(buffer));
    }

    /**
     * {@code size_t ggml_backend_buffer_get_alloc_size(ggml_backend_buffer_t buffer, struct
     * ggml_tensor * tensor)}
     */
    private static final MethodHandle BUFFER_GET_ALLOC_SIZE =
            bind("ggml_backend_buffer_get_alloc_size", returns(C_SIZE_T, C_BUFFER, C_TENSOR));

    static long bufferGetAllocSize(BufferPtr buffer, TensorPtr tensor) {
        return call(() -> (long) BUFFER_GET_ALLOC_SIZE.invokeExact(buffer, tensor));
    }

    /** {@code size_t ggml_backend_buffer_get_size(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_GET_SIZE =
            bind("ggml_backend_buffer_get_size", returns(C_SIZE_T, C_BUFFER));

    static long bufferGetSize(BufferPtr buffer) {
        return call(() -> (long) BUFFER_GET_SIZE.invokeExact(buffer));
    }

    /** {@code void ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value)} */
    private static final MethodHandle BUFFER_CLEAR =
            bind("ggml_backend_buffer_clear", returnsNothing(C_BUFFER, C_UINT8));

    static void bufferClear(BufferPtr buffer, byte value) {
        run(
                () -> {
                    BUFFER_CLEAR.invokeExact(buffer, value);
                });
    }

    /**
     * {@code void ggml_backend_buffer_set_usage(ggml_backend_buffer_t buffer, enum
     * ggml_backend_buffer_usage usage)}
     */
    private static final MethodHandle BUFFER_SET_USAGE =
            bind("ggml_backend_buffer_set_usage", returnsNothing(C_BUFFER, C_INT));

    static void bufferSetUsage(BufferPtr buffer, int usage) {
        run(
                () -> {
                    BUFFER_SET_USAGE.invokeExact(buffer, usage);
                });
    }

    /** {@code bool ggml_backend_buffer_is_host(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_IS_HOST =
            bindLeaf("ggml_backend_buffer_is_host", returns(C_BOOL, C_BUFFER));

    static boolean bufferIsHost(BufferPtr buffer) {
        return call(() -> (boolean) BUFFER_IS_HOST.invokeExact(buffer));
    }

    /** {@code ggml_backend_buffer_type_t ggml_backend_cpu_buffer_type(void)} */
    private static final MethodHandle CPU_BUFFER_TYPE =
            bind("ggml_backend_cpu_buffer_type", returns(C_BUFFER_TYPE));

    static BufferTypePtr cpuBufferType() {
        return call(() -> (BufferTypePtr) CPU_BUFFER_TYPE.invokeExact());
    }

    /**
     * {@code enum ggml_status ggml_backend_tensor_alloc(ggml_backend_buffer_t buffer, struct
     * ggml_tensor * tensor, void * address)}
     */
    private static final MethodHandle TENSOR_ALLOC =
            bind("ggml_backend_tensor_alloc", returns(C_INT, C_BUFFER, C_TENSOR, C_POINTER));

    static int tensorAlloc(BufferPtr buffer, TensorPtr tensor, MemorySegment address) {
        return call(() -> (int) TENSOR_ALLOC.invokeExact(buffer, tensor, address));
    }

    /**
     * {@code void ggml_backend_tensor_set(struct ggml_tensor * tensor, const void * data, size_t
     * offset, size_t bytes)}
     */
    private static final MethodHandle TENSOR_SET =
            bind(
                    "ggml_backend_tensor_set",
                    returnsNothing(C_TENSOR, C_POINTER, C_SIZE_T, C_SIZE_T));

    static void tensorSet(TensorPtr tensor, MemorySegment data, long offset, long bytes) {
        run(
                () -> {
                    TENSOR_SET.invokeExact(tensor, data, offset, bytes);
                });
    }

    /**
     * {@code void ggml_backend_tensor_get(struct ggml_tensor * tensor, void * data, size_t offset,
     * size_t bytes)}
     */
    private static final MethodHandle TENSOR_GET =
            bind(
                    "ggml_backend_tensor_get",
                    returnsNothing(C_TENSOR, C_POINTER, C_SIZE_T, C_SIZE_T));

    static void tensorGet(TensorPtr tensor, MemorySegment data, long offset, long bytes) {
        run(
                () -> {
                    TENSOR_GET.invokeExact(tensor, data, offset, bytes);
                });
    }

    /**
     * {@code void ggml_backend_tensor_copy(struct ggml_tensor * source, struct ggml_tensor *
     * target)}
     */
    private static final MethodHandle TENSOR_COPY =
            bind("ggml_backend_tensor_copy", returnsNothing(C_TENSOR, C_TENSOR));

    static void tensorCopy(TensorPtr source, TensorPtr target) {
        run(
                () -> {
                    TENSOR_COPY.invokeExact(source, target);
                });
    }

    /**
     * {@code ggml_backend_buffer_t ggml_backend_alloc_ctx_tensors_from_buft(struct ggml_context *
     * context, ggml_backend_buffer_type_t type)}
     */
    private static final MethodHandle ALLOC_CTX_TENSORS_FROM_BUFT =
            bind(
                    "ggml_backend_alloc_ctx_tensors_from_buft",
                    returns(C_BUFFER, C_CONTEXT, C_BUFFER_TYPE));

    static BufferPtr allocCtxTensorsFromBuft(ContextPtr context, BufferTypePtr type) {
        return call(() -> (BufferPtr) ALLOC_CTX_TENSORS_FROM_BUFT.invokeExact(context, type));
    }

    /** {@code ggml_gallocr_t ggml_gallocr_new(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle GALLOCR_NEW =
            bind("ggml_gallocr_new", returns(C_ALLOCATOR, C_BUFFER_TYPE));

    static AllocatorPtr gallocrNew(BufferTypePtr type) {
        return call(() -> (AllocatorPtr) GALLOCR_NEW.invokeExact(type));
    }

    /** {@code void ggml_gallocr_free(ggml_gallocr_t allocator)} */
    private static final MethodHandle GALLOCR_FREE =
            bind("ggml_gallocr_free", returnsNothing(C_ALLOCATOR));

    static void gallocrFree(AllocatorPtr allocator) {
        run(
                () -> {
                    GALLOCR_FREE.invokeExact(allocator);
                });
    }

    /** {@code bool ggml_gallocr_reserve(ggml_gallocr_t allocator, struct ggml_cgraph * graph)} */
    private static final MethodHandle GALLOCR_RESERVE =
            bind("ggml_gallocr_reserve", returns(C_BOOL, C_ALLOCATOR, C_GRAPH));

    static boolean gallocrReserve(AllocatorPtr allocator, GraphPtr graph) {
        return call(() -> (boolean) GALLOCR_RESERVE.invokeExact(allocator, graph));
    }

    /**
     * {@code bool ggml_gallocr_alloc_graph(ggml_gallocr_t allocator, struct ggml_cgraph * graph)}
     */
    private static final MethodHandle GALLOCR_ALLOC_GRAPH =
            bind("ggml_gallocr_alloc_graph", returns(C_BOOL, C_ALLOCATOR, C_GRAPH));

    static boolean gallocrAllocGraph(AllocatorPtr allocator, GraphPtr graph) {
        return call(() -> (boolean) GALLOCR_ALLOC_GRAPH.invokeExact(allocator, graph));
    }

    /** {@code size_t ggml_gallocr_get_buffer_size(ggml_gallocr_t allocator, int chunk)} */
    private static final MethodHandle GALLOCR_GET_BUFFER_SIZE =
            bind("ggml_gallocr_get_buffer_size", returns(C_SIZE_T, C_ALLOCATOR, C_INT));

    static long gallocrGetBufferSize(AllocatorPtr allocator, int chunk) {
        return call(() -> (long) GALLOCR_GET_BUFFER_SIZE.invokeExact(allocator, chunk));
    }

    /**
     * {@code void ggml_threadpool_params_init(struct ggml_threadpool_params * parameters, int
     * threads)}
     */
    private static final MethodHandle THREADPOOL_PARAMS_INIT =
            bind("ggml_threadpool_params_init", returnsNothing(C_POINTER, C_INT));

    static void threadpoolParamsInit(MemorySegment parameters, int threads) {
        run(
                () -> {
                    THREADPOOL_PARAMS_INIT.invokeExact(parameters, threads);
                });
    }

    private BackendApi() {}
}
