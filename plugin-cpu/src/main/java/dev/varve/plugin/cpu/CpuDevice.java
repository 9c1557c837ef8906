package dev.varve.plugin.cpu;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.ggml.Backend;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.ThreadPool;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A queue on the processor with worker threads that outlive a graph. */
final class CpuDevice implements ComputeDevice {
    /**
     * ggml's default: workers spin a while between the operators and graphs of a step, and sleep
     * when idle. Where another process computes on the same cores in turn, spinning would take them
     * from it.
     */
    private static final int POLL = 50;

    private final GgmlDevice device;
    private final DeviceInfo info;
    private final Object lock;
    private final int decodeThreads;
    private final int prefillThreads;
    private final Backend backend;
    private final ThreadPool pool;
    private final Crowding crowding = new Crowding();
    private final RunDelay runDelay = new RunDelay(Path.of("/proc/thread-self/schedstat"));
    private int currentThreads;
    private boolean closed;

    CpuDevice(
            GgmlDevice device,
            DeviceInfo info,
            Object lock,
            int decodeThreads,
            int prefillThreads,
            boolean sharedCores) {
        this.device = device;
        this.info = info;
        this.lock = lock;
        this.decodeThreads = decodeThreads;
        this.prefillThreads = prefillThreads;
        backend = device.open();
        try {
            pool =
                    ThreadPool.open(
                            device,
                            Math.max(decodeThreads, prefillThreads),
                            sharedCores ? 0 : POLL);
        } catch (RuntimeException | Error e) {
            backend.close();
            throw e;
        }
        backend.setThreadPool(Optional.of(pool));
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
    public void compute(Graph graph, Phase phase) {
        int wanted = threads(phase);
        int threads = graph.dependsOnThreads() ? wanted : crowding.threads(wanted);
        if (threads != currentThreads) {
            backend.setThreads(threads);
            currentThreads = threads;
        }
        GgmlLibrary.context(
                phase == Phase.PREFILL
                        ? "computing prefill on cpu:0"
                        : "computing decode on cpu:0");
        if (wanted == 1) {
            backend.compute(graph);
        } else {
            computeMeasured(graph, wanted);
        }
    }

    private void computeMeasured(Graph graph, int wanted) {
        OptionalLong before = runDelay.nanos();
        long begin = System.nanoTime();
        backend.compute(graph);
        long end = System.nanoTime();
        OptionalLong after = runDelay.nanos();
        if (before.isPresent() && after.isPresent()) {
            long waited = after.getAsLong() - before.getAsLong();
            crowding.computed(wanted, end - begin, waited, end);
        }
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
                pool.close();
                backend.close();
                runDelay.close();
            }
        }
    }
}
