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
 * What comes to host memory, brought to a store by a thread of its own. Only the engine's thread
 * calls.
 */
final class StoreSaves implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.prefix");

    /** Part of host memory that may wait to be written, and most bytes of it. */
    private static final int WAITING_SHARE = 4;

    private static final long MOST_WAITING = 512L << 20;

    /** For how long after a step another one is to be expected. */
    private static final long BUSY_NANOS = Duration.ofMillis(50).toNanos();

    /**
     * Pauses between runs of bytes while others compute, who need the cores and the memory: a
     * multiple of the time that the last run took, shorter when much waits.
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
    private volatile boolean crowded;

    /** When the writer's last pause was over; its own. */
    private long resumed;

    /**
     * Where it goes.
     *
     * @param origin names of the shards' tensors that go there, for people
     * @param withFeatures whether hidden states go there
     */
    record Target(WritableArchive sink, ChainKeys keys, String origin, boolean withFeatures) {}

    /**
     * @param name of the thread
     * @param memory bytes of host memory
     * @param closeLimit how long what waits may take in the end
     */
    StoreSaves(String name, Target target, long memory, Duration closeLimit) {
        this.target = target;
        this.closeLimit = closeLimit;
        mostWaiting = Math.min(MOST_WAITING, memory / WAITING_SHARE);
        writer =
                Executors.newFixedThreadPool(
                        1, Thread.ofPlatform().name(name, 0).daemon(true).factory());
    }

    /** A step was computed, and another one may follow. */
    void step() {
        lastStep = System.nanoTime();
    }

    /** Has something written that is ready in host memory. */
    void save(CacheScope scope, Checkpoint checkpoint) {
        if (!target.sink().takesMore()) {
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
        crowded = 2 * bytes > mostWaiting;
        writer.execute(
                () -> save.write(target.sink(), target.keys(), target.origin(), this::pause));
    }

    private void pause() {
        long now = System.nanoTime();
        if (now - lastStep < BUSY_NANOS) {
            long pause = (now - resumed) * (crowded ? SHORT_PAUSE : PAUSE);
            LockSupport.parkNanos(Math.clamp(pause, LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS));
        }
        resumed = System.nanoTime();
    }

    /** Lets go what was written. */
    void poll() {
        crowded &= !saves.isEmpty();
        saves.removeIf(
                save -> {
                    // Asked once: one that ends between two questions would stay pinned for ever.
                    boolean over = save.isOver();
                    if (over) {
                        save.release();
                    }
                    return over;
                });
    }

    /** Writes nothing of what waits, and does something once nothing is written any more. */
    CompletableFuture<Void> dropAnd(Runnable work) {
        saves.forEach(StoreSave::drop);
        return then(work);
    }

    /** Does something behind what is to be written by now. */
    CompletableFuture<Void> then(Runnable work) {
        return CompletableFuture.runAsync(work, writer);
    }

    /** Writes what waits, for a while. */
    @Override
    public void close() {
        writer.shutdown();
        try {
            if (!writer.awaitTermination(closeLimit.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "not everything that was computed for prompts could be written in {0} s",
                        closeLimit.toSeconds());
                saves.forEach(StoreSave::drop);
                writer.awaitTermination(closeLimit.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
