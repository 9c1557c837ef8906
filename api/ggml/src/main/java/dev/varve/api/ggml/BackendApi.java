package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_BOOL;
import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.C_UINT8;
import static dev.varve.api.ggml.Native.bind;
import static dev.varve.api.ggml.Native.bindLeaf;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;
import static dev.varve.api.ggml.NativeCall.call;
import static dev.varve.api.ggml.NativeCall.isTrue;
import static dev.varve.api.ggml.NativeCall.pointer;

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
import java.lang.ref.Reference;

/**
 * ggml-backend.h and ggml-alloc.h: devices, buffers, transfers, computing. One file, since it
 * follows the headers.
 */
final class BackendApi {
    /** {@code void ggml_backend_load_all_from_path(const char * folder)} */
    private static final MethodHandle LOAD_ALL_FROM_PATH =
            bind("ggml_backend_load_all_from_path", returnsNothing(C_POINTER));

    static void loadAllFromPath(MemorySegment folder) {
        call(LOAD_ALL_FROM_PATH, pointer(folder));
        Reference.reachabilityFence(folder);
    }

    /** {@code ggml_backend_reg_t ggml_backend_load(const char * file)} */
    private static final MethodHandle LOAD =
            bind("ggml_backend_load", returns(C_POINTER, C_POINTER));

    static RegistryPtr load(MemorySegment file) {
        RegistryPtr result = new RegistryPtr(MemorySegment.ofAddress(call(LOAD, pointer(file))));
        Reference.reachabilityFence(file);
        return result;
    }

    /** {@code size_t ggml_backend_dev_count(void)} */
    private static final MethodHandle DEV_COUNT = bind("ggml_backend_dev_count", returns(C_SIZE_T));

    static long devCount() {
        return call(DEV_COUNT);
    }

    /** {@code ggml_backend_dev_t ggml_backend_dev_get(size_t index)} */
    private static final MethodHandle DEV_GET =
            bind("ggml_backend_dev_get", returns(C_POINTER, C_SIZE_T));

    static DevicePtr devGet(long index) {
        return new DevicePtr(MemorySegment.ofAddress(call(DEV_GET, index)));
    }

    /**
     * {@code void ggml_backend_dev_get_props(ggml_backend_dev_t device, struct
     * ggml_backend_dev_props * props)}
     */
    private static final MethodHandle DEV_GET_PROPS =
            bind("ggml_backend_dev_get_props", returnsNothing(C_POINTER, C_POINTER));

    static void devGetProps(DevicePtr device, MemorySegment props) {
        call(DEV_GET_PROPS, device.raw(), pointer(props));
        Reference.reachabilityFence(props);
    }

    /**
     * {@code ggml_backend_t ggml_backend_dev_init(ggml_backend_dev_t device, const char *
     * parameters)}
     */
    private static final MethodHandle DEV_INIT =
            bind("ggml_backend_dev_init", returns(C_POINTER, C_POINTER, C_POINTER));

    static BackendPtr devInit(DevicePtr device, MemorySegment parameters) {
        BackendPtr result =
                new BackendPtr(
                        MemorySegment.ofAddress(call(DEV_INIT, device.raw(), pointer(parameters))));
        Reference.reachabilityFence(parameters);
        return result;
    }

    /**
     * {@code ggml_backend_buffer_type_t ggml_backend_dev_buffer_type(ggml_backend_dev_t device)}
     */
    private static final MethodHandle DEV_BUFFER_TYPE =
            bind("ggml_backend_dev_buffer_type", returns(C_POINTER, C_POINTER));

    static BufferTypePtr devBufferType(DevicePtr device) {
        return new BufferTypePtr(MemorySegment.ofAddress(call(DEV_BUFFER_TYPE, device.raw())));
    }

    /**
     * {@code ggml_backend_buffer_type_t ggml_backend_dev_host_buffer_type(ggml_backend_dev_t
     * device)}
     */
    private static final MethodHandle DEV_HOST_BUFFER_TYPE =
            bind("ggml_backend_dev_host_buffer_type", returns(C_POINTER, C_POINTER));

    static BufferTypePtr devHostBufferType(DevicePtr device) {
        return new BufferTypePtr(MemorySegment.ofAddress(call(DEV_HOST_BUFFER_TYPE, device.raw())));
    }

    /** {@code ggml_backend_reg_t ggml_backend_dev_backend_reg(ggml_backend_dev_t device)} */
    private static final MethodHandle DEV_BACKEND_REG =
            bind("ggml_backend_dev_backend_reg", returns(C_POINTER, C_POINTER));

    static RegistryPtr devBackendReg(DevicePtr device) {
        return new RegistryPtr(MemorySegment.ofAddress(call(DEV_BACKEND_REG, device.raw())));
    }

    /**
     * {@code bool ggml_backend_dev_supports_op(ggml_backend_dev_t device, struct ggml_tensor *
     * node)}
     */
    private static final MethodHandle DEV_SUPPORTS_OP =
            bind("ggml_backend_dev_supports_op", returns(C_BOOL, C_POINTER, C_POINTER));

    static boolean devSupportsOp(DevicePtr device, TensorPtr node) {
        return isTrue(call(DEV_SUPPORTS_OP, device.raw(), node.raw()));
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
        BufferPtr result =
                new BufferPtr(
                        MemorySegment.ofAddress(
                                call(
                                        DEV_BUFFER_FROM_HOST_PTR,
                                        device.raw(),
                                        pointer(memory),
                                        bytes,
                                        maxTensorBytes)));
        Reference.reachabilityFence(memory);
        return result;
    }

    /** {@code const char * ggml_backend_reg_name(ggml_backend_reg_t registry)} */
    private static final MethodHandle REG_NAME =
            bind("ggml_backend_reg_name", returns(C_POINTER, C_POINTER));

    static String regName(RegistryPtr registry) {
        return Native.string(MemorySegment.ofAddress(call(REG_NAME, registry.raw())));
    }

    /**
     * {@code void * ggml_backend_reg_get_proc_address(ggml_backend_reg_t registry, const char *
     * name)}
     */
    private static final MethodHandle REG_GET_PROC_ADDRESS =
            bind("ggml_backend_reg_get_proc_address", returns(C_POINTER, C_POINTER, C_POINTER));

    static MemorySegment regGetProcAddress(RegistryPtr registry, MemorySegment name) {
        MemorySegment result =
                MemorySegment.ofAddress(call(REG_GET_PROC_ADDRESS, registry.raw(), pointer(name)));
        Reference.reachabilityFence(name);
        return result;
    }

    /** {@code void ggml_backend_free(ggml_backend_t backend)} */
    private static final MethodHandle FREE = bind("ggml_backend_free", returnsNothing(C_POINTER));

    static void free(BackendPtr backend) {
        call(FREE, backend.raw());
    }

    /** {@code const char * ggml_backend_name(ggml_backend_t backend)} */
    private static final MethodHandle NAME =
            bind("ggml_backend_name", returns(C_POINTER, C_POINTER));

    static String name(BackendPtr backend) {
        return Native.string(MemorySegment.ofAddress(call(NAME, backend.raw())));
    }

    /**
     * {@code enum ggml_status ggml_backend_graph_compute(ggml_backend_t backend, struct ggml_cgraph
     * * graph)}
     */
    private static final MethodHandle GRAPH_COMPUTE =
            bind("ggml_backend_graph_compute", returns(C_INT, C_POINTER, C_POINTER));

    static int graphCompute(BackendPtr backend, GraphPtr graph) {
        int result = (int) call(GRAPH_COMPUTE, backend.raw(), graph.raw());
        Reference.reachabilityFence(graph);
        return result;
    }

    /**
     * {@code enum ggml_status ggml_backend_graph_compute_async(ggml_backend_t backend, struct
     * ggml_cgraph * graph)}
     */
    private static final MethodHandle GRAPH_COMPUTE_ASYNC =
            bind("ggml_backend_graph_compute_async", returns(C_INT, C_POINTER, C_POINTER));

    static int graphComputeAsync(BackendPtr backend, GraphPtr graph) {
        int result = (int) call(GRAPH_COMPUTE_ASYNC, backend.raw(), graph.raw());
        Reference.reachabilityFence(graph);
        return result;
    }

    /** {@code void ggml_backend_synchronize(ggml_backend_t backend)} */
    private static final MethodHandle SYNCHRONIZE =
            bind("ggml_backend_synchronize", returnsNothing(C_POINTER));

    static void synchronize(BackendPtr backend) {
        call(SYNCHRONIZE, backend.raw());
    }

    /** {@code const char * ggml_backend_buft_name(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_NAME =
            bind("ggml_backend_buft_name", returns(C_POINTER, C_POINTER));

    static String buftName(BufferTypePtr type) {
        return Native.string(MemorySegment.ofAddress(call(BUFT_NAME, type.raw())));
    }

    /**
     * {@code ggml_backend_buffer_t ggml_backend_buft_alloc_buffer(ggml_backend_buffer_type_t type,
     * size_t bytes)}
     */
    private static final MethodHandle BUFT_ALLOC_BUFFER =
            bind("ggml_backend_buft_alloc_buffer", returns(C_POINTER, C_POINTER, C_SIZE_T));

    static BufferPtr buftAllocBuffer(BufferTypePtr type, long bytes) {
        return new BufferPtr(MemorySegment.ofAddress(call(BUFT_ALLOC_BUFFER, type.raw(), bytes)));
    }

    /** {@code size_t ggml_backend_buft_get_alignment(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_GET_ALIGNMENT =
            bind("ggml_backend_buft_get_alignment", returns(C_SIZE_T, C_POINTER));

    static long buftGetAlignment(BufferTypePtr type) {
        return call(BUFT_GET_ALIGNMENT, type.raw());
    }

    /** {@code size_t ggml_backend_buft_get_max_size(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_GET_MAX_SIZE =
            bind("ggml_backend_buft_get_max_size", returns(C_SIZE_T, C_POINTER));

    static long buftGetMaxSize(BufferTypePtr type) {
        return call(BUFT_GET_MAX_SIZE, type.raw());
    }

    /**
     * {@code size_t ggml_backend_buft_get_alloc_size(ggml_backend_buffer_type_t type, struct
     * ggml_tensor * tensor)}
     */
    private static final MethodHandle BUFT_GET_ALLOC_SIZE =
            bind("ggml_backend_buft_get_alloc_size", returns(C_SIZE_T, C_POINTER, C_POINTER));

    static long buftGetAllocSize(BufferTypePtr type, TensorPtr tensor) {
        return call(BUFT_GET_ALLOC_SIZE, type.raw(), tensor.raw());
    }

    /** {@code bool ggml_backend_buft_is_host(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle BUFT_IS_HOST =
            bind("ggml_backend_buft_is_host", returns(C_BOOL, C_POINTER));

    static boolean buftIsHost(BufferTypePtr type) {
        return isTrue(call(BUFT_IS_HOST, type.raw()));
    }

    /** {@code void ggml_backend_buffer_free(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_FREE =
            bind("ggml_backend_buffer_free", returnsNothing(C_POINTER));

    static void bufferFree(BufferPtr buffer) {
        call(BUFFER_FREE, buffer.raw());
    }

    /** {@code void * ggml_backend_buffer_get_base(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_GET_BASE =
            bind("ggml_backend_buffer_get_base", returns(C_POINTER, C_POINTER));

    static MemorySegment bufferGetBase(BufferPtr buffer) {
        return MemorySegment.ofAddress(call(BUFFER_GET_BASE, buffer.raw()));
    }

    /** {@code size_t ggml_backend_buffer_get_alignment(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_GET_ALIGNMENT =
            bind("ggml_backend_buffer_get_alignment", returns(C_SIZE_T, C_POINTER));

    static long bufferGetAlignment(BufferPtr buffer) {
        return call(BUFFER_GET_ALIGNMENT, buffer.raw());
    }

    /**
     * {@code size_t ggml_backend_buffer_get_alloc_size(ggml_backend_buffer_t buffer, struct
     * ggml_tensor * tensor)}
     */
    private static final MethodHandle BUFFER_GET_ALLOC_SIZE =
            bind("ggml_backend_buffer_get_alloc_size", returns(C_SIZE_T, C_POINTER, C_POINTER));

    static long bufferGetAllocSize(BufferPtr buffer, TensorPtr tensor) {
        return call(BUFFER_GET_ALLOC_SIZE, buffer.raw(), tensor.raw());
    }

    /** {@code size_t ggml_backend_buffer_get_size(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_GET_SIZE =
            bind("ggml_backend_buffer_get_size", returns(C_SIZE_T, C_POINTER));

    static long bufferGetSize(BufferPtr buffer) {
        return call(BUFFER_GET_SIZE, buffer.raw());
    }

    /** {@code void ggml_backend_buffer_clear(ggml_backend_buffer_t buffer, uint8_t value)} */
    private static final MethodHandle BUFFER_CLEAR =
            bind("ggml_backend_buffer_clear", returnsNothing(C_POINTER, C_UINT8));

    static void bufferClear(BufferPtr buffer, byte value) {
        call(BUFFER_CLEAR, buffer.raw(), Byte.toUnsignedLong(value));
    }

    /**
     * {@code void ggml_backend_buffer_set_usage(ggml_backend_buffer_t buffer, enum
     * ggml_backend_buffer_usage usage)}
     */
    private static final MethodHandle BUFFER_SET_USAGE =
            bind("ggml_backend_buffer_set_usage", returnsNothing(C_POINTER, C_INT));

    static void bufferSetUsage(BufferPtr buffer, int usage) {
        call(BUFFER_SET_USAGE, buffer.raw(), usage);
    }

    /** {@code bool ggml_backend_buffer_is_host(ggml_backend_buffer_t buffer)} */
    private static final MethodHandle BUFFER_IS_HOST =
            bindLeaf("ggml_backend_buffer_is_host", returns(C_BOOL, C_POINTER));

    static boolean bufferIsHost(BufferPtr buffer) {
        return isTrue(call(BUFFER_IS_HOST, buffer.raw()));
    }

    /** {@code ggml_backend_buffer_type_t ggml_backend_cpu_buffer_type(void)} */
    private static final MethodHandle CPU_BUFFER_TYPE =
            bind("ggml_backend_cpu_buffer_type", returns(C_POINTER));

    static BufferTypePtr cpuBufferType() {
        return new BufferTypePtr(MemorySegment.ofAddress(call(CPU_BUFFER_TYPE)));
    }

    /**
     * {@code enum ggml_status ggml_backend_tensor_alloc(ggml_backend_buffer_t buffer, struct
     * ggml_tensor * tensor, void * address)}
     */
    private static final MethodHandle TENSOR_ALLOC =
            bind("ggml_backend_tensor_alloc", returns(C_INT, C_POINTER, C_POINTER, C_POINTER));

    static int tensorAlloc(BufferPtr buffer, TensorPtr tensor, MemorySegment address) {
        int result = (int) call(TENSOR_ALLOC, buffer.raw(), tensor.raw(), pointer(address));
        Reference.reachabilityFence(address);
        return result;
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
        call(TENSOR_SET, tensor.raw(), pointer(data), offset, bytes);
        Reference.reachabilityFence(data);
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
        call(TENSOR_SET_ASYNC, backend.raw(), tensor.raw(), pointer(data), offset, bytes);
        Reference.reachabilityFence(data);
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
        call(TENSOR_GET, tensor.raw(), pointer(data), offset, bytes);
        Reference.reachabilityFence(data);
    }

    /**
     * {@code void ggml_backend_tensor_copy(struct ggml_tensor * source, struct ggml_tensor *
     * target)}
     */
    private static final MethodHandle TENSOR_COPY =
            bind("ggml_backend_tensor_copy", returnsNothing(C_POINTER, C_POINTER));

    static void tensorCopy(TensorPtr source, TensorPtr target) {
        call(TENSOR_COPY, source.raw(), target.raw());
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
                MemorySegment.ofAddress(
                        call(ALLOC_CTX_TENSORS_FROM_BUFT, context.raw(), type.raw())));
    }

    /** {@code ggml_gallocr_t ggml_gallocr_new(ggml_backend_buffer_type_t type)} */
    private static final MethodHandle GALLOCR_NEW =
            bind("ggml_gallocr_new", returns(C_POINTER, C_POINTER));

    static AllocatorPtr gallocrNew(BufferTypePtr type) {
        return new AllocatorPtr(MemorySegment.ofAddress(call(GALLOCR_NEW, type.raw())));
    }

    /** {@code void ggml_gallocr_free(ggml_gallocr_t allocator)} */
    private static final MethodHandle GALLOCR_FREE =
            bind("ggml_gallocr_free", returnsNothing(C_POINTER));

    static void gallocrFree(AllocatorPtr allocator) {
        call(GALLOCR_FREE, allocator.raw());
    }

    /** {@code bool ggml_gallocr_reserve(ggml_gallocr_t allocator, struct ggml_cgraph * graph)} */
    private static final MethodHandle GALLOCR_RESERVE =
            bind("ggml_gallocr_reserve", returns(C_BOOL, C_POINTER, C_POINTER));

    static boolean gallocrReserve(AllocatorPtr allocator, GraphPtr graph) {
        boolean result = isTrue(call(GALLOCR_RESERVE, allocator.raw(), graph.raw()));
        Reference.reachabilityFence(graph);
        return result;
    }

    /**
     * {@code bool ggml_gallocr_alloc_graph(ggml_gallocr_t allocator, struct ggml_cgraph * graph)}
     */
    private static final MethodHandle GALLOCR_ALLOC_GRAPH =
            bind("ggml_gallocr_alloc_graph", returns(C_BOOL, C_POINTER, C_POINTER));

    static boolean gallocrAllocGraph(AllocatorPtr allocator, GraphPtr graph) {
        boolean result = isTrue(call(GALLOCR_ALLOC_GRAPH, allocator.raw(), graph.raw()));
        Reference.reachabilityFence(graph);
        return result;
    }

    /** {@code size_t ggml_gallocr_get_buffer_size(ggml_gallocr_t allocator, int chunk)} */
    private static final MethodHandle GALLOCR_GET_BUFFER_SIZE =
            bind("ggml_gallocr_get_buffer_size", returns(C_SIZE_T, C_POINTER, C_INT));

    static long gallocrGetBufferSize(AllocatorPtr allocator, int chunk) {
        return call(GALLOCR_GET_BUFFER_SIZE, allocator.raw(), chunk);
    }

    /**
     * {@code void ggml_threadpool_params_init(struct ggml_threadpool_params * parameters, int
     * threads)}
     */
    private static final MethodHandle THREADPOOL_PARAMS_INIT =
            bind("ggml_threadpool_params_init", returnsNothing(C_POINTER, C_INT));

    static void threadpoolParamsInit(MemorySegment parameters, int threads) {
        call(THREADPOOL_PARAMS_INIT, pointer(parameters), threads);
        Reference.reachabilityFence(parameters);
    }

    private BackendApi() {}

    /** Looks up all functions, once. */
    static void link() {
        // The class initialiser does it.
    }
}
