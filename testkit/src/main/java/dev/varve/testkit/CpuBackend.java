package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Loads ggml's CPU backend once per process and makes its thread pools. */
@SuppressWarnings("restricted")
final class CpuBackend {
    private static final long THREADPOOL_PARAMS_BYTES = 528;

    /** {@code size_t ggml_backend_dev_count(void)} */
    private static final MethodHandle DEVICE_COUNT =
            NativeFolder.bind(
                    NativeFolder.REGISTRY,
                    "ggml_backend_dev_count",
                    FunctionDescriptor.of(JAVA_LONG));

    /** {@code void ggml_backend_load_all_from_path(const char * dir_path)} */
    private static final MethodHandle LOAD_ALL =
            NativeFolder.bind(
                    NativeFolder.REGISTRY,
                    "ggml_backend_load_all_from_path",
                    FunctionDescriptor.ofVoid(ADDRESS));

    /** {@code ggml_backend_dev_t ggml_backend_dev_by_type(enum ggml_backend_dev_type type)} */
    private static final MethodHandle DEVICE_BY_TYPE =
            NativeFolder.bind(
                    NativeFolder.REGISTRY,
                    "ggml_backend_dev_by_type",
                    FunctionDescriptor.of(ADDRESS, JAVA_INT));

    /** {@code ggml_backend_dev_t ggml_backend_dev_by_name(const char * name)} */
    private static final MethodHandle DEVICE_BY_NAME =
            NativeFolder.bind(
                    NativeFolder.REGISTRY,
                    "ggml_backend_dev_by_name",
                    FunctionDescriptor.of(ADDRESS, ADDRESS));

    /** {@code ggml_backend_reg_t ggml_backend_dev_backend_reg(ggml_backend_dev_t device)} */
    private static final MethodHandle DEVICE_REGISTRY =
            NativeFolder.bind(
                    NativeFolder.BASE,
                    "ggml_backend_dev_backend_reg",
                    FunctionDescriptor.of(ADDRESS, ADDRESS));

    /**
     * {@code void * ggml_backend_reg_get_proc_address(ggml_backend_reg_t reg, const char * name)}
     */
    private static final MethodHandle PROC_ADDRESS =
            NativeFolder.bind(
                    NativeFolder.BASE,
                    "ggml_backend_reg_get_proc_address",
                    FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

    /**
     * {@code void ggml_threadpool_params_init(struct ggml_threadpool_params * p, int n_threads)}
     */
    private static final MethodHandle PARAMS_INIT =
            NativeFolder.bind(
                    NativeFolder.BASE,
                    "ggml_threadpool_params_init",
                    FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT));

    private CpuBackend() {}

    /** Loads the backends of the folder, unless this process has loaded them already. */
    static synchronized void load() {
        try (Arena arena = Arena.ofConfined()) {
            if ((long) DEVICE_COUNT.invokeExact() == 0) {
                LOAD_ALL.invokeExact(arena.allocateFrom(NativeFolder.path().toString()));
            }
            if (((MemorySegment) DEVICE_BY_TYPE.invokeExact(0)).equals(MemorySegment.NULL)) {
                throw new IllegalStateException(
                        NativeFolder.path() + ": no CPU backend could be loaded");
            }
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Returns the device of a name, such as {@code CUDA0}. */
    static MemorySegment device(String name) {
        MemorySegment device;
        try (Arena arena = Arena.ofConfined()) {
            device = (MemorySegment) DEVICE_BY_NAME.invokeExact(arena.allocateFrom(name));
        } catch (Throwable e) {
            throw unchecked(e);
        }
        if (device.equals(MemorySegment.NULL)) {
            throw new IllegalArgumentException("no backend of this process has a device " + name);
        }
        return device;
    }

    /** A running pool; {@link #freeThreadPool} ends its threads. */
    static MemorySegment newThreadPool(int threads) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = arena.allocate(THREADPOOL_PARAMS_BYTES, 8);
            PARAMS_INIT.invokeExact(params, threads);
            MethodHandle create =
                    function("ggml_threadpool_new", FunctionDescriptor.of(ADDRESS, ADDRESS));
            return (MemorySegment) create.invokeExact(params);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static void freeThreadPool(MemorySegment pool) {
        try {
            function("ggml_threadpool_free", FunctionDescriptor.ofVoid(ADDRESS)).invokeExact(pool);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    private static MethodHandle function(String name, FunctionDescriptor descriptor)
            throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = (MemorySegment) DEVICE_BY_TYPE.invokeExact(0);
            MemorySegment registry = (MemorySegment) DEVICE_REGISTRY.invokeExact(device);
            MemorySegment address =
                    (MemorySegment) PROC_ADDRESS.invokeExact(registry, arena.allocateFrom(name));
            if (address.equals(MemorySegment.NULL)) {
                throw new UnsatisfiedLinkError("the CPU backend has no function " + name);
            }
            return Linker.nativeLinker().downcallHandle(address, descriptor);
        }
    }

    private static RuntimeException unchecked(Throwable failure) {
        return switch (failure) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            default -> throw new AssertionError("a downcall throws no checked exception", failure);
        };
    }
}
