package dev.varve.plugin.cpu;

import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.HostCores;
import dev.varve.api.backend.RecurrentOperators;
import dev.varve.api.ggml.Backend;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.ThreadPool;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A queue on the processor with worker threads that outlive a graph. */
final class CpuDevice implements ComputeDevice {
    /**
     * ggml's default: workers spin a while between the operators and graphs of a step, and sleep
     * when idle. If another process computes on the same cores in turn, spinning would slow it
     * down.
     */
    private static final int POLL = 50;

    /** Computing time after which the delay is read: a system call in every step is not free. */
    private static final long READING_NANOS = 30_000_000;

    private final GgmlDevice device;
    private final DeviceInfo info;
    private final OwnOperators own;
    private final Object lock;
    private final int decodeThreads;
    private final int prefillThreads;
    private final Backend backend;
    private final int poll;

    /**
     * By number of threads: a pool wakes all of its threads for a graph, and threads without work
     * would occupy cores for a moment, in every step.
     */
    private final Map<Integer, ThreadPool> pools = new HashMap<>();

    private final CpuContention contention =
            new CpuContention(new IdleCores(Path.of("/proc/stat"), HostCores.processors()));
    private final RunDelay runDelay = new RunDelay(Path.of("/proc/thread-self/schedstat"));
    private int currentThreads;

    /** Computing time since the last reading. */
    private long unreadNanos;

    private boolean closed;

    CpuDevice(
            GgmlDevice device,
            DeviceInfo info,
            OwnOperators own,
            Object lock,
            int decodeThreads,
            int prefillThreads,
            boolean sharedCores) {
        this.device = device;
        this.info = info;
        this.own = own;
        this.lock = lock;
        this.decodeThreads = decodeThreads;
        this.prefillThreads = prefillThreads;
        poll = sharedCores ? 0 : POLL;
        backend = device.open();
        try {
            use(threads(Phase.DECODE));
        } catch (RuntimeException | Error e) {
            backend.close();
            throw e;
        }
    }

    /** Sets the number of threads that compute; the pools of other sizes sleep. */
    private void use(int threads) {
        if (threads != currentThreads) {
            ThreadPool pool =
                    pools.computeIfAbsent(threads, number -> ThreadPool.open(device, number, poll));
            backend.setThreads(threads);
            backend.setThreadPool(Optional.of(pool));
            currentThreads = threads;
        }
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    @Override
    public GgmlDevice ggmlDevice() {
        return device;
    }

    @Override
    public List<BufferType> weightBufferTypes() {
        List<BufferType> types = new ArrayList<>(device.extraBufferTypes());
        types.add(device.bufferType());
        return types;
    }

    @Override
    public BufferType bufferType() {
        return device.bufferType();
    }

    @Override
    public int threads(Phase phase) {
        return phase == Phase.PREFILL ? prefillThreads : decodeThreads;
    }

    @Override
    public Optional<ColumnProduct> columnProduct() {
        return own.columns().map(product -> product);
    }

    @Override
    public RecurrentOperators recurrentOperators() {
        return new RecurrentOperators(
                own.delta().map(rule -> rule), own.convolution().map(each -> each));
    }

    @Override
    public void compute(Graph graph, Phase phase) {
        GgmlLibrary.context(
                phase == Phase.PREFILL
                        ? "computing prefill on cpu:0"
                        : "computing decode on cpu:0");
        int wanted = threads(phase);
        if (wanted == 1) {
            compute(graph, 1);
        } else {
            computeMeasured(graph, wanted);
        }
    }

    private void computeMeasured(Graph graph, int wanted) {
        long begin = System.nanoTime();
        compute(graph, wanted, contention.threads(wanted));
        long end = System.nanoTime();
        unreadNanos += end - begin;
        if (unreadNanos >= READING_NANOS) {
            OptionalLong waited = runDelay.sinceLast();
            if (waited.isPresent()) {
                contention.computed(wanted, unreadNanos, waited.getAsLong(), end);
            }
            unreadNanos = 0;
        }
    }

    /**
     * Computes the same numbers as with all threads, and uses fewer of them where the result does
     * not depend on it.
     */
    private void compute(Graph graph, int all, int fewer) {
        if (fewer < all && graph.dependsOnThreads()) {
            for (Graph.Part part : graph.parts()) {
                compute(part.graph(), part.dependsOnThreads() ? all : fewer);
            }
        } else {
            compute(graph, fewer);
        }
    }

    private void compute(Graph graph, int threads) {
        use(threads);
        backend.compute(graph);
    }

    @Override
    public Object lock() {
        return lock;
    }

    @Override
    public void close() {
        synchronized (lock) {
            if (!closed) {
                closed = true;
                backend.setThreadPool(Optional.empty());
                pools.values().forEach(ThreadPool::close);
                backend.close();
                runDelay.close();
            }
        }
    }
}
