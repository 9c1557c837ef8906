package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.returnsNothing;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Pointer.BackendPtr;
import dev.varve.api.ggml.Pointer.ThreadPoolPtr;

import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * A ggml backend with its device queue. Owned by the caller: {@link #close} frees it. For one
 * thread at a time.
 */
public final class Backend implements AutoCloseable {
    private final BackendPtr pointer;
    private final String name;
    private final Optional<MethodHandle> setThreads;
    private final Optional<MethodHandle> setThreadPool;
    private boolean closed;

    Backend(BackendPtr pointer, GgmlDevice device) {
        this.pointer = pointer;
        name = BackendApi.name(pointer);
        setThreads =
                device.function("ggml_backend_set_n_threads", returnsNothing(C_POINTER, C_INT));
        setThreadPool =
                device.function(
                        "ggml_backend_cpu_set_threadpool", returnsNothing(C_POINTER, C_POINTER));
    }

    /** Name, such as {@code CPU}. */
    public String name() {
        return name;
    }

    /**
     * Sets the threads of the next graphs; no effect on devices whose number of threads cannot be
     * set.
     */
    public void setThreads(int threads) {
        if (threads < 1 || threads > ThreadPool.MAX_THREADS) {
            throw new IllegalArgumentException(
                    "threads must be 1 to " + ThreadPool.MAX_THREADS + ", got " + threads);
        }
        if (setThreads.isPresent()) {
            MethodHandle set = setThreads.get();
            BackendPtr backend = open();
            NativeCall.call(set, backend.raw(), threads);
        }
    }

    /**
     * Uses a pool instead of threads that are started for each graph. Empty detaches the pool,
     * which is required before it is closed.
     *
     * @throws IllegalStateException if the device does not support pools
     */
    public void setThreadPool(Optional<ThreadPool> pool) {
        MethodHandle set =
                setThreadPool.orElseThrow(
                        () -> new IllegalStateException(name + " uses no thread pool"));
        BackendPtr backend = open();
        ThreadPoolPtr used = pool.map(ThreadPool::pointer).orElse(ThreadPoolPtr.NULL);
        NativeCall.call(set, backend.raw(), used.raw());
    }

    /**
     * Computes a graph and waits. Its tensors must be placed, and their buffers open.
     *
     * @throws VarveException of kind BACKEND_FAILED with ggml's status
     */
    public void compute(Graph graph) {
        requireSuccess(BackendApi.graphCompute(open(), graph.pointer()));
    }

    /**
     * Queues a copy from host memory and the computation of a graph after it, and waits for both.
     * If the device has a queue, the caller waits for the device only here.
     *
     * @param source contiguous, in host memory
     * @param target of the same type and shape, in memory of the device
     * @param hostWork runs while the device computes; must not use the source, the target or the
     *     tensors of the graph
     * @throws VarveException of kind BACKEND_FAILED with ggml's status
     */
    public void compute(Tensor source, Tensor target, Graph graph, Runnable hostWork) {
        BackendPtr backend = open();
        source.requireCopyable(target);
        source.requireHostMemory();
        BackendApi.tensorSetAsync(backend, target.pointer(), source.data(), 0, source.bytes());
        try {
            requireSuccess(BackendApi.graphComputeAsync(backend, graph.pointer()));
            hostWork.run();
        } finally {
            // The source must not change before the copy ends, even after a failure.
            BackendApi.synchronize(backend);
        }
    }

    private void requireSuccess(int status) {
        if (status != 0) {
            String text =
                    switch (status) {
                        case -2 -> "allocation failed";
                        case -1 -> "failed";
                        case 1 -> "aborted";
                        default -> "status " + status;
                    };
            throw new VarveException(
                    VarveException.Kind.BACKEND_FAILED, name + ": computing a graph: " + text);
        }
    }

    /** Waits until all queued work is done. */
    public void synchronize() {
        BackendApi.synchronize(open());
    }

    private BackendPtr open() {
        if (closed) {
            throw new IllegalStateException("the backend is closed");
        }
        return pointer;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            BackendApi.free(pointer);
        }
    }
}
