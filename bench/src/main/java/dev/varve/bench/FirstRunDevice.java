package dev.varve.bench;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.Graph;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A device that computes each decode graph once, so that its logits are numbers, and then leaves
 * the computations out. Records the time from the end of each decode graph to the next one, which
 * is what a step costs beside the device. For one engine at a time.
 */
final class FirstRunDevice extends DelegatingDevice {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Set<Graph> computed = Collections.newSetFromMap(new WeakHashMap<>());
    private final long pauseNanos;
    private final boolean computes;
    private List<Beside> steps = new ArrayList<>();
    private Beside end = Beside.NONE;

    /**
     * Time beside the device, or points in time.
     *
     * @param wall by the clock
     * @param processor of the thread
     */
    record Beside(long wall, long processor) {
        static final Beside NONE = new Beside(0, 0);

        static Beside now() {
            return new Beside(System.nanoTime(), THREADS.getCurrentThreadCpuTime());
        }

        Beside since(Beside begin) {
            return new Beside(wall - begin.wall, processor - begin.processor);
        }
    }

    /**
     * @param computes whether all graphs are computed each time
     * @param pauseMicros time for which a computation that is left out waits, in microseconds
     */
    FirstRunDevice(ComputeDevice device, boolean computes, int pauseMicros) {
        super(device);
        this.computes = computes;
        pauseNanos = TimeUnit.MICROSECONDS.toNanos(pauseMicros);
    }

    /** Returns the times beside the device since the last call. Call it between requests. */
    synchronized List<Beside> takeSteps() {
        List<Beside> taken = steps;
        steps = new ArrayList<>();
        return taken;
    }

    @Override
    public synchronized void compute(Graph graph, Phase phase) {
        Beside begin = Beside.now();
        if (phase == Phase.DECODE && end != Beside.NONE) {
            steps.add(begin.since(end));
        }
        if (computes || phase == Phase.PREFILL || computed.add(graph)) {
            device().compute(graph, phase);
        } else {
            LockSupport.parkNanos(pauseNanos);
        }
        end = phase == Phase.DECODE ? Beside.now() : Beside.NONE;
    }
}
