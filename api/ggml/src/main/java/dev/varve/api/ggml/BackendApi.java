package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_BOOL;
import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.C_UINT8;
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
            bind("ggml_backend_load", returns(C_POINTER, C_POINTER));

    static RegistryPtr load(MemorySegment file) {
        return new RegistryPtr(call(() -> (MemorySegment) LOAD.invokeExact(file)));
    }

    /** {@code size_t ggml_backend_dev_count(void)} */
    private static final MethodHandle DEV_COUNT = bind("ggml_backend_dev_count", returns(C_SIZE_T));

    static long devCount() {
        return call(() -> (long) DEV_COUNT.invokeExact());
    }

    /** {@code ggml_backend_dev_t ggml_backend_dev_get(size_t index)} */
    private static final MethodHandle DEV_GET =
            bind("ggml_backend_dev_get", returns(C_POINTER, C_SIZE_T));

    static DevicePtr devGet(long index) {
        return new DevicePtr(call(() -> (MemorySegment) DEV_GET.invokeExact(index)));
    }

    /**
     * {@code void ggml_backend_dev_get_props(ggml_backend_dev_t device, struct
     * ggml_backend_dev_props * props)}
     */
    private static final MethodHandle DEV_GET_PROPS =
            bind("ggml_backend_dev_get_props", returnsNothing(C_POINTER, C_POINTER));

    static void devGetProps(DevicePtr device, MemorySegment props) {
        run(
                () -> {
                    DEV_GET_PROPS.invokeExact(device.address(), props);
                });
    }

    /**
     * {@code ggml_backend_t ggml_backend_dev_init(ggml_backend_dev_t device, const char *
     * parameters)}
     */
    private static final MethodHandle DEV_INIT =
            bind("ggml_backend_dev_init", returns(C_POINTER, C_POINTER, C_POINTER));

    static BackendPtr devInit(DevicePtr device, MemorySegment parameters) {
        return new BackendPtr(
                call(() -> (MemorySegment) DEV_INIT.invokeExact(device.address(), parameters)));
    }

    /**
     * {@code ggml_backend_buffer_type_t ggml_backend_dev_buffer_type(ggml_backend_dev_t device)}
     */
    private static final MethodHandle DEV_BUFFER_TYPE =
            bind("ggml_backend_dev_buffer_type", returns(C_POINTER, C_POINTER));

    static BufferTypePtr devBufferType(DevicePtr device) {
        return new BufferTypePtr(
                call(() -> (MemorySegment) DEV_BUFFER_TYPE.invokeExact(device.address())));
    }

    /**
     * {@code ggml_backend_buffer_type_t ggml_backend_dev_host_buffer_type(ggml_backend_dev_t
     * device)}
     */
    private static final MethodHandle DEV_HOST_BUFFER_TYPE =
            bind("ggml_backend_dev_host_buffer_type", returns(C_POINTER, C_POINTER));

    static BufferTypePtr devHostBufferType(DevicePtr device) {
        return new BufferTypePtr(
                call(() -> (MemorySegment) DEV_HOST_BUFFER_TYPE.invokeExact(device.address())));
    }

    /** {@code ggml_backend_reg_t ggml_backend_dev_backend_reg(ggml_backend_dev_t device)} */
    private static final MethodHandle DEV_BACKEND_REG =
            bind("ggml_backend_dev_backend_reg", returns(C_POINTER, C_POINTER));

    static RegistryPtr devBackendReg(DevicePtr device) {
        return new RegistryPtr(
                call(() -> (MemorySegment) DEV_BACKEND_REG.invokeExact(device.address())));
    }

    /**
     * {@code bool ggml_backend_dev_supports_op(ggml_backend_dev_t device, struct ggml_tensor *
     * node)}
     */
    private static final MethodHandle DEV_SUPPORTS_OP =
            bind("ggml_backend_dev_supports_op", returns(C_BOOL, C_POINTER, C_POINTER));

    static boolean devSupportsOp(DevicePtr device, TensorPtr node) {
        return call(() -> (boolean) DEV_SUPPORTS_OP.invokeExact(device.address(), node.address()));
    }

    /**
     * {@code ggml_backend_buffer_t ggml_backend_dev_buffer_from_host_ptr(ggml_backend_dev_t device,
     * void * memory, size_t bytes, size_t maxTensorBytes)}
     */
    private static final MethodHandle DEV_BUFFER_FROM_HOST_PTR =
            bind(
                    "ggml_backend_dev_buffer_from_host_ptr",
                    returns(C_POINTER, C_POINTER, C_POINTER, C_SIZE_T, C_SIZE_T));

    static BufferPtr devBufferFromHostPtr(
            DevicePtr device, MemorySegment memory, long bytes, long maxTensorBytes) {
        return new BufferPtr(
                call(
                        () ->
                                (MemorySegment)
                                        DEV_BUFFER_FROM_HOST_PTR.invokeExact(
                                                device.address(), memory, bytes, maxTensorBytes)));
    }

    /** {@code const char * ggml_backend_reg_name(ggml_backend_reg_t registry)} */
    private static final MethodHandle REG_NAME =
            bind("ggml_backend_reg_name", returns(C_POINTER, C_POINTER));

    static String regName(RegistryPtr registry) {
        return call(() -> Native.string((MemorySegment) REG_NAME.invokeExact(registry.address())));
    }

    /**
     * {@code void * ggml_backend_reg_get_proc_address(ggml_backend_reg_t registry, const char *
     * name)}
     */
    private static final MethodHandle REG_GET_PROC_ADDRESS =
            bind("ggml_backend_reg_get_proc_address", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment regGetProcAddress(RegistryPtr registry, MemorySegment name) {
        return call(
                () -> (MemorySegment) REG_GET_PROC_ADDRESS.invokeExact(registry.address(), name));
    }

    /** {@code void ggml_backend_free(ggml_backend_t backend)} */
    private static final MethodHandle FREE = bind("ggml_backend_free", returnsNothing(C_POINTER));

    static void free(BackendPtr backend) {
        run(
                () -> {
                    FREE.invokeExact(backend.address());
                });
    }

    /** {@code const char * ggml_backend_name(ggml_backend_t backend)} */
    private static final MethodHandle NAME =
            bind("ggml_backend_name", returns(C_POINTER, C_POINTER));

    static String name(BackendPtr backend) {
        return call(() -> Native.string((MemorySegment) NAME.invokeExact(backend.address())));
    }

    /**
     * {@code enum ggml_status ggml_backend_graph_compute(ggml_backend_t backend, struct ggml_cgraph
     * * graph)}
     */
    private static final MethodHandle GRAPH_COMPUTE =
            bind("ggml_backend_graph_compute", returns(C_INT, C_POINTER, C_POINTER));

    static int graphCompute(BackendPtr backend, GraphPtr graph) {
        return call(() -> (int) GRAPH_COMPUTE.invokeExact(backend.address(), graph.address()));
    }

    /**
     * {@code enum ggml_status ggml_backend_graph_compute_async(ggml_backend_t backend, struct
     * ggml_cgraph * graph)}
     */
    private static final MethodHandle GRAPH_COMPUTE_ASYNC =
            bind("ggml_backend_graph_compute_async", returns(C_INT, C_POINTER, C_POINTER));

    static int graphComputeAsync(BackendPtr backend, GraphPtr graph) {
        return call(
                () -> (int) GRAPH_COMPUTE_ASYNC.invokeExact(backend.address(), graph.address()));
    }

    /** {@code void ggml_backend_synchronize(ggml_backend_t backend)} */
    private static final MethodHandle SYNCHRONIZE =
            bind("ggml_backend_synchronize", returnsNothing(C_POINTER));

    static void synchronize(BackendPtr backend) {
        run(
                () -> {
                    SYNCHRONIZE.invokeExact(backend.address());
                });
    }

    /** {@code const char * ggml_backend_buft_name(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_NAME =
            bind("ggml_backend_buft_name", returns(C_POINTER, C_POINTER));

    static String buftName(BufferTypePtr type) {
        return call(() -> Native.string((MemorySegment) BUFT_NAME.invokeExact(type.address())));
    }

    /**
     * {@code ggml_backend_buffer_t ggml_backend_buft_alloc_buffer(ggml_backend_buffer_type_t type,
     * size_t bytes)}
     */
    private static final MethodHandle BUFT_ALLOC_BUFFER =
            bind("ggml_backend_buft_alloc_buffer", returns(C_POINTER, C_POINTER, C_SIZE_T));

    static BufferPtr buftAllocBuffer(BufferTypePtr type, long bytes) {
        return new BufferPtr(
                call(() -> (MemorySegment) BUFT_ALLOC_BUFFER.invokeExact(type.address(), bytes)));
    }

    /** {@code size_t ggml_backend_buft_get_alignment(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_GET_ALIGNMENT =
            bind("ggml_backend_buft_get_alignment", returns(C_SIZE_T, C_POINTER));

    static long buftGetAlignment(BufferTypePtr type) {
        return call(() -> (long) BUFT_GET_ALIGNMENT.invokeExact(type.address()));
    }

    /** {@code size_t ggml_backend_buft_get_max_size(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_GET_MAX_SIZE =
            bind("ggml_backend_buft_get_max_size", returns(C_SIZE_T, C_POINTER));

    static long buftGetMaxSize(BufferTypePtr type) {
        return call(() -> (long) BUFT_GET_MAX_SIZE.invokeExact(type.address()));
    }

    /**
     * {@code size_t ggml_backend_buft_get_alloc_size(ggml_backend_buffer_type_t type, struct
     * ggml_tensor * tensor)}
     */
    private static final MethodHandle BUFT_GET_ALLOC_SIZE =
            bind("ggml_backend_buft_get_alloc_size", returns(C_SIZE_T, C_POINTER, C_POINTER));

    static long buftGetAllocSize(BufferTypePtr type, TensorPtr tensor) {
        return call(() -> (long) BUFT_GET_ALLOC_SIZE.invokeExact(type.address(), tensor.address()));
    }

    /** {@code bool ggml_backend_buft_is_host(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_IS_HOST =
            bind("ggml_backend_buft_is_host", returns(C_BOOL, C_POINTER));

    static boolean buftIsHost(BufferTypePtr type) {
        return call(() -> (boolean) BUFT_IS_HOST.invokeExact(type.address()));
    }

    /** {@code void ggml_backend_buffer_free(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_FREE =
            bind("ggml_backend_buffer_free", returnsNothing(C_POINTER));

    static void bufferFree(BufferPtr buffer) {
        run(
                () -> {
                    BUFFER_FREE.invokeExact(buffer.address());
                });
    }

    /** {@code void * ggml_backend_buffer_get_base(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_GET_BASE =
            bind("ggml_backend_buffer_get_base", returns(C_POINTER, C_POINTER));

    static MemorySegment bufferGetBase(BufferPtr buffer) {
        return call(() -> (MemorySegment) BUFFER_GET_BASE.invokeExact(buffer.address()));
    }

    /** {@code size_t ggml_backend_buffer_get_alignment(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_GET_ALIGNMENT =
            bind("ggml_backend_buffer_get_alignment", returns(C_SIZE_T, C_POINTER));

    static long bufferGetAlignment(BufferPtr buffer) {
        return call(() -> (long) BUFFER_GET_ALIGNMENT.invokeExact(buffer.address()));
    }

    /**
     * {@code size_t ggml_backend_buffer_get_alloc_size(ggml_backend_buffer_t buffer, struct
     * ggml_tensor * tensor)}
     */
    private static final MethodHandle BUFFER_GET_ALLOC_SIZE =
            bind("ggml_backend_buffer_get_alloc_size", returns(C_SIZE_T, C_POINTER, C_POINTER));

    static long bufferGetAllocSize(BufferPtr buffer, TensorPtr tensor) {
        return call(
                () -> (long) BUFFER_GET_ALLOC_SIZE.invokeExact(buffer.address(), tensor.address()));
    }

    /** {@code size_t ggml_backend_buffer_get_size(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_GET_SIZE =
            bind("ggml_backend_buffer_get_size", returns(C_SIZE_T, C_POINTER));

    static long bufferGetSize(BufferPtr buffer) {
        return call(() -> (long) BUFFER_GET_SIZE.invokeExact(buffer.address()));
    }

    /** {@code void ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value)} */
    private static final MethodHandle BUFFER_CLEAR =
            bind("ggml_backend_buffer_clear", returnsNothing(C_POINTER, C_UINT8));

    static void bufferClear(BufferPtr buffer, byte value) {
        run(
                () -> {
                    BUFFER_CLEAR.invokeExact(buffer.address(), value);
                });
    }

    /**
     * {@code void ggml_backend_buffer_set_usage(ggml_backend_buffer_t buffer, enum
     * ggml_backend_buffer_usage usage)}
     */
    private static final MethodHandle BUFFER_SET_USAGE =
            bind("ggml_backend_buffer_set_usage", returnsNothing(C_POINTER, C_INT));

    static void bufferSetUsage(BufferPtr buffer, int usage) {
        run(
                () -> {
                    BUFFER_SET_USAGE.invokeExact(buffer.address(), usage);
                });
    }

    /** {@code bool ggml_backend_buffer_is_host(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_IS_HOST =
            bindLeaf("ggml_backend_buffer_is_host", returns(C_BOOL, C_POINTER));

    static boolean bufferIsHost(BufferPtr buffer) {
        return call(() -> (boolean) BUFFER_IS_HOST.invokeExact(buffer.address()));
    }

    /** {@code ggml_backend_buffer_type_t ggml_backend_cpu_buffer_type(void)} */
    private static final MethodHandle CPU_BUFFER_TYPE =
            bind("ggml_backend_cpu_buffer_type", returns(C_POINTER));

    static BufferTypePtr cpuBufferType() {
        return new BufferTypePtr(call(() -> (MemorySegment) CPU_BUFFER_TYPE.invokeExact()));
    }

    /**
     * {@code enum ggml_status ggml_backend_tensor_alloc(ggml_backend_buffer_t buffer, struct
     * ggml_tensor * tensor, void * address)}
     */
    private static final MethodHandle TENSOR_ALLOC =
            bind("ggml_backend_tensor_alloc", returns(C_INT, C_POINTER, C_POINTER, C_POINTER));

    static int tensorAlloc(BufferPtr buffer, TensorPtr tensor, MemorySegment address) {
        return call(
                () -> (int) TENSOR_ALLOC.invokeExact(buffer.address(), tensor.address(), address));
    }

    /**
     * {@code void ggml_backend_tensor_set(struct ggml_tensor * tensor, const void * data, size_t
     * offset, size_t bytes)}
     */
    private static final MethodHandle TENSOR_SET =
            bind(
                    "ggml_backend_tensor_set",
                    returnsNothing(C_POINTER, C_POINTER, C_SIZE_T, C_SIZE_T));

    static void tensorSet(TensorPtr tensor, MemorySegment data, long offset, long bytes) {
        run(
                () -> {
                    TENSOR_SET.invokeExact(tensor.address(), data, offset, bytes);
                });
    }

    /**
     * {@code void ggml_backend_tensor_set_async(ggml_backend_t backend, struct ggml_tensor *
     * tensor, const void * data, size_t offset, size_t bytes)}
     */
    private static final MethodHandle TENSOR_SET_ASYNC =
            bind(
                    "ggml_backend_tensor_set_async",
                    returnsNothing(C_POINTER, C_POINTER, C_POINTER, C_SIZE_T, C_SIZE_T));

    static void tensorSetAsync(
            BackendPtr backend, TensorPtr tensor, MemorySegment data, long offset, long bytes) {
        run(
                () -> {
                    TENSOR_SET_ASYNC.invokeExact(
                            backend.address(), tensor.address(), data, offset, bytes);
                });
    }

    /**
     * {@code void ggml_backend_tensor_get(struct ggml_tensor * tensor, void * data, size_t offset,
     * size_t bytes)}
     */
    private static final MethodHandle TENSOR_GET =
            bind(
                    "ggml_backend_tensor_get",
                    returnsNothing(C_POINTER, C_POINTER, C_SIZE_T, C_SIZE_T));

    static void tensorGet(TensorPtr tensor, MemorySegment data, long offset, long bytes) {
        run(
                () -> {
                    TENSOR_GET.invokeExact(tensor.address(), data, offset, bytes);
                });
    }

    /**
     * {@code void ggml_backend_tensor_copy(struct ggml_tensor * source, struct ggml_tensor *
     * target)}
     */
    private static final MethodHandle TENSOR_COPY =
            bind("ggml_backend_tensor_copy", returnsNothing(C_POINTER, C_POINTER));

    static void tensorCopy(TensorPtr source, TensorPtr target) {
        run(
                () -> {
                    TENSOR_COPY.invokeExact(source.address(), target.address());
                });
    }

    /**
     * {@code ggml_backend_buffer_t ggml_backend_alloc_ctx_tensors_from_buft(struct ggml_context *
     * context, ggml_backend_buffer_type_t type)}
     */
    private static final MethodHandle ALLOC_CTX_TENSORS_FROM_BUFT =
            bind(
                    "ggml_backend_alloc_ctx_tensors_from_buft",
                    returns(C_POINTER, C_POINTER, C_POINTER));

    static BufferPtr allocCtxTensorsFromBuft(ContextPtr context, BufferTypePtr type) {
        return new BufferPtr(
                call(
                        () ->
                                (MemorySegment)
                                        ALLOC_CTX_TENSORS_FROM_BUFT.invokeExact(
                                                context.address(), type.address())));
    }

    /** {@code ggml_gallocr_t ggml_gallocr_new(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle GALLOCR_NEW =
            bind("ggml_gallocr_new", returns(C_POINTER, C_POINTER));

    static AllocatorPtr gallocrNew(BufferTypePtr type) {
        return new AllocatorPtr(
                call(() -> (MemorySegment) GALLOCR_NEW.invokeExact(type.address())));
    }

    /** {@code void ggml_gallocr_free(ggml_gallocr_t allocator)} */
    private static final MethodHandle GALLOCR_FREE =
            bind("ggml_gallocr_free", returnsNothing(C_POINTER));

    static void gallocrFree(AllocatorPtr allocator) {
        run(
                () -> {
                    GALLOCR_FREE.invokeExact(allocator.address());
                });
    }

    /** {@code bool ggml_gallocr_reserve(ggml_gallocr_t allocator, struct ggml_cgraph * graph)} */
    private static final MethodHandle GALLOCR_RESERVE =
            bind("ggml_gallocr_reserve", returns(C_BOOL, C_POINTER, C_POINTER));

    static boolean gallocrReserve(AllocatorPtr allocator, GraphPtr graph) {
        return call(
                () -> (boolean) GALLOCR_RESERVE.invokeExact(allocator.address(), graph.address()));
    }

    /**
     * {@code bool ggml_gallocr_alloc_graph(ggml_gallocr_t allocator, struct ggml_cgraph * graph)}
     */
    private static final MethodHandle GALLOCR_ALLOC_GRAPH =
            bind("ggml_gallocr_alloc_graph", returns(C_BOOL, C_POINTER, C_POINTER));

    static boolean gallocrAllocGraph(AllocatorPtr allocator, GraphPtr graph) {
        return call(
                () ->
                        (boolean)
                                GALLOCR_ALLOC_GRAPH.invokeExact(
                                        allocator.address(), graph.address()));
    }

    /** {@code size_t ggml_gallocr_get_buffer_size(ggml_gallocr_t allocator, int chunk)} */
    private static final MethodHandle GALLOCR_GET_BUFFER_SIZE =
            bind("ggml_gallocr_get_buffer_size", returns(C_SIZE_T, C_POINTER, C_INT));

    static long gallocrGetBufferSize(AllocatorPtr allocator, int chunk) {
        return call(() -> (long) GALLOCR_GET_BUFFER_SIZE.invokeExact(allocator.address(), chunk));
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

    /** Looks up all functions, once. */
    static void link() {
        // The class initialiser does it.
    }
}
