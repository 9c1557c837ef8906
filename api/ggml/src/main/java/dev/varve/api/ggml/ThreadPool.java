package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.Native.returnsNothing;

import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.Pointer.ThreadPoolPtr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Worker threads of the CPU device that outlive a graph ({@code ggml_threadpool}). Without one,
 * ggml starts threads for every graph. Detach it from the backend before closing it.
 */
public final class ThreadPool implements AutoCloseable {
    /** Maximum number of threads that ggml supports. */
    public static final int MAX_THREADS = 512;

    private static final long PARAMS_BYTES = 528;
    private static final long POLL = 520;
    private static final long PAUSED = 525;

    private final ThreadPoolPtr pointer;
    private final MethodHandle free;
    private boolean closed;

    private ThreadPool(ThreadPoolPtr pointer, MethodHandle free) {
        this.pointer = pointer;
        this.free = free;
    }

    /**
     * Starts a pool.
     *
     * @param threads workers, the computing thread included
     * @param poll how long idle workers spin before they sleep, 0 to 100
     */
    public static ThreadPool open(GgmlDevice cpu, int threads, int poll) {
        if (threads < 1 || threads > MAX_THREADS || poll < 0 || poll > 100) {
            throw new IllegalArgumentException(
                    "a thread pool needs 1 to "
                            + MAX_THREADS
                            + " threads and poll 0 to 100, got "
                            + threads
                            + " and "
                            + poll);
        }
        MethodHandle make =
                cpu.requireFunction("ggml_threadpool_new", returns(C_POINTER, C_POINTER));
        MethodHandle free = cpu.requireFunction("ggml_threadpool_free", returnsNothing(C_POINTER));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = arena.allocate(PARAMS_BYTES, Long.BYTES);
            BackendApi.threadpoolParamsInit(params, threads);
            params.set(JAVA_INT, POLL, poll);
            // Paused until the first graph, because the threads would spin while a model is loaded.
            params.set(JAVA_BOOLEAN, PAUSED, true);
            ThreadPoolPtr pool =
                    new ThreadPoolPtr(
                            MemorySegment.ofAddress(NativeCall.call(make, params.address())));
            if (pool.isNull()) {
                throw new VarveException(
                        VarveException.Kind.OUT_OF_MEMORY,
                        cpu.name() + ": cannot start " + threads + " threads");
            }
            return new ThreadPool(pool, free);
        }
    }

    ThreadPoolPtr pointer() {
        if (closed) {
            throw new IllegalStateException("the thread pool is closed");
        }
        return pointer;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            NativeCall.call(free, pointer.raw());
        }
    }
}
