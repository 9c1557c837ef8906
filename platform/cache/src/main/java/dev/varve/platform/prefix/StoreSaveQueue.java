package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.store.WritableArchive;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes new checkpoints of host memory to a store, on its own writer thread. Only the engine's
 * thread calls it.
 */
final class StoreSaveQueue implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.prefix");

    /** Limits of the bytes that wait to be written: a divisor of host memory, and a maximum. */
    private static final int WAITING_SHARE = 4;

    private static final long MOST_WAITING = 512L << 20;

    /** Time after a step in which another step is expected. */
    private static final long BUSY_NANOS = Duration.ofMillis(50).toNanos();

    /**
     * Pauses between runs of bytes while the engine computes, which needs the cores and the memory
     * bandwidth. A pause is a multiple of the duration of the last run, and shorter if many bytes
     * wait.
     */
    private static final int PAUSE = 64;

    private static final int SHORT_PAUSE = 3;
    private static final long LEAST_PAUSE_NANOS = Duration.ofMillis(2).toNanos();
    private static final long MOST_PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private final Target target;
    private final long mostWaiting;
    private final Duration closeLimit;
    private final ExecutorService writer;
    private final Deque<StoreSave> saves = new ArrayDeque<>();
    private volatile long lastStep;
    private volatile boolean backlogged;

    /** End of the writer's last pause; used by the writer thread only. */
    private long resumed;

    /**
     * Target of the writes.
     *
     * @param origin names of the shards' tensors that are stored there, for diagnostics
     * @param withFeatures whether hidden states are written
     */
    record Target(WritableArchive sink, ChainKeys keys, String origin, boolean withFeatures) {}

    /**
     * @param name name of the writer thread
     * @param memory bytes of host memory
     * @param closeLimit maximum time for pending writes at the close
     */
    StoreSaveQueue(String name, Target target, long memory, Duration closeLimit) {
        this.target = target;
        this.closeLimit = closeLimit;
        mostWaiting = Math.min(MOST_WAITING, memory / WAITING_SHARE);
        writer =
                Executors.newFixedThreadPool(
                        1, Thread.ofPlatform().name(name, 0).daemon(true).factory());
    }

    /** Notes that a step was computed, and that another one may follow. */
    void step() {
        lastStep = System.nanoTime();
    }

    /** Schedules the write of a checkpoint that is ready in host memory. */
    void save(CacheScope scope, Checkpoint checkpoint) {
        if (!target.sink().acceptsWrites()) {
            return;
        }
        StoreSave save = new StoreSave(scope, checkpoint, target.withFeatures());
        saves.add(save);
        long bytes = saves.stream().mapToLong(StoreSave::bytes).sum();
        for (StoreSave oldest : List.copyOf(saves)) {
            if (bytes > mostWaiting && oldest != save && oldest.drop()) {
                bytes -= oldest.bytes();
            }
        }
        backlogged = 2 * bytes > mostWaiting;
        writer.execute(
                () -> save.write(target.sink(), target.keys(), target.origin(), this::pause));
    }

    private void pause() {
        long now = System.nanoTime();
        if (now - lastStep < BUSY_NANOS) {
            long pause = (now - resumed) * (backlogged ? SHORT_PAUSE : PAUSE);
            LockSupport.parkNanos(Math.clamp(pause, LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS));
        }
        resumed = System.nanoTime();
    }

    /** Unpins ended writes. */
    void poll() {
        backlogged &= !saves.isEmpty();
        saves.removeIf(
                save -> {
                    // Read once: a save that ends between two reads would stay pinned forever.
                    boolean over = save.isOver();
                    if (over) {
                        save.release();
                    }
                    return over;
                });
    }

    /** Cancels pending writes, and runs a task after the current write. */
    CompletableFuture<Void> dropAnd(Runnable work) {
        saves.forEach(StoreSave::drop);
        return then(work);
    }

    /** Runs a task after all writes that are pending now. */
    CompletableFuture<Void> then(Runnable work) {
        return CompletableFuture.runAsync(work, writer);
    }

    /** Writes pending saves, for a limited time. */
    @Override
    public void close() {
        writer.shutdown();
        try {
            if (!writer.awaitTermination(closeLimit.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "not all prefixes could be written to the store within {0} s",
                        closeLimit.toSeconds());
                saves.forEach(StoreSave::drop);
                writer.awaitTermination(closeLimit.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
