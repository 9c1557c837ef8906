package dev.varve.platform.cli;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Collects the garbage of a process that runs for days. The serial collector lets the old
 * generation grow up to the heap's limit before it collects it, so objects that die soon after they
 * were promoted fill it, and models need that memory.
 */
final class PeriodicGarbageCollection implements AutoCloseable {
    /** Bytes that may be in use in any case. */
    static final long FLOOR = 96L << 20;

    private static final int LOOK_SECONDS = 5;

    private final LongSupplier used;
    private final Runnable collector;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("varve-heap").daemon(true).factory());

    /**
     * At most so many bytes belong to live objects: the fewest in use since the last collection.
     */
    private long live;

    /**
     * @param used bytes of the heap that are in use
     * @param collector collects all garbage
     */
    PeriodicGarbageCollection(LongSupplier used, Runnable collector) {
        this.used = used;
        this.collector = collector;
    }

    /** Watches the heap of this process until it is closed. */
    static PeriodicGarbageCollection start() {
        // Java's management would know more, and takes 40 ms of each start.
        Runtime runtime = Runtime.getRuntime();
        PeriodicGarbageCollection trimmer =
                new PeriodicGarbageCollection(
                        () -> runtime.totalMemory() - runtime.freeMemory(), runtime::gc);
        trimmer.clock.scheduleWithFixedDelay(
                trimmer::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
        return trimmer;
    }

    /** Collects if the heap holds more than twice what lives. */
    void look() {
        long now = used.getAsLong();
        // Java may have collected by itself, after a large grammar or body is gone.
        live = Math.min(live, now);
        if (now > Math.max(FLOOR, 2 * live)) {
            collector.run();
            live = used.getAsLong();
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
