package dev.varve.platform.engine;

import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.prefix.SnapshotImport;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.shard.ShardLostException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Holds the requests whose cached prefix is being copied from host memory, and drives all copies
 * between host memory and the devices. Only the engine's thread uses it.
 */
final class HostTransferScheduler {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** Longest delay of a step with decode tokens, in ns. */
    private static final long MAX_DECODE_DELAY = Duration.ofMillis(2).toNanos();

    /** Longest delay of a step with a prefill chunk, in ns. */
    private static final long MAX_PREFILL_DELAY = Duration.ofMillis(15).toNanos();

    /** Longest time that a new request waits for copies of an otherwise idle engine, in ns. */
    private static final long ALONE = Duration.ofMillis(20).toNanos();

    /** Most bytes in transit to other processes beside a step, which waits for them. */
    private static final long MAX_BYTES_DURING_STEP = 6 << 20;

    /** Longest time that copies delay the shutdown of an engine. */
    private static final Duration FINISH = Duration.ofSeconds(5);

    private static final long BYTES_ALONE = 48 << 20;

    private final PrefixCache cache;
    private final RunningRequests running;
    private final BiConsumer<Request, PrefixLookupResult> start;
    private final List<Restore> restores = new ArrayList<>();

    private record Restore(Request request, SequenceCache place, SnapshotImport snapshotImport) {
        boolean isCurrent() {
            return request.isRestoring() && request.sequence() == place;
        }
    }

    /**
     * @param start called with a request that can be computed
     */
    HostTransferScheduler(
            PrefixCache cache,
            RunningRequests running,
            BiConsumer<Request, PrefixLookupResult> start) {
        this.cache = cache;
        this.running = running;
        this.start = start;
    }

    void add(Request request, SnapshotImport snapshotImport) {
        request.restore();
        restores.add(new Restore(request, request.sequence(), snapshotImport));
    }

    /** Returns whether no copy is pending. */
    boolean isIdle() {
        return restores.isEmpty() && cache.isIdle();
    }

    /**
     * Copies for a short time, and continues requests whose prefix has arrived.
     *
     * @throws ShardLostException if a shard was lost during a copy
     */
    void run() {
        if (isIdle()) {
            return;
        }
        boolean streams = running.anyMatch(Request::isInDecode);
        boolean alone = !streams && !running.anyMatch(Request::isInPrefill);
        cache.move(
                alone ? ALONE : streams ? MAX_DECODE_DELAY : MAX_PREFILL_DELAY,
                alone ? BYTES_ALONE : MAX_BYTES_DURING_STEP);
        if (alone && !resumeCompleted()) {
            // There is no other work until a copy completes.
            cache.await();
        }
        resumeCompleted();
    }

    /** Completes pending copies, for at most a few seconds. */
    void finish() {
        long end = System.nanoTime() + FINISH.toNanos();
        while (!cache.isIdle() && System.nanoTime() < end) {
            cache.move(ALONE, BYTES_ALONE);
            cache.await();
        }
        cache.move(0, 0);
    }

    /** Returns whether any request can continue. */
    private boolean resumeCompleted() {
        boolean any = false;
        for (Restore restore : List.copyOf(restores)) {
            if (!restore.isCurrent()) {
                restore.snapshotImport().giveUp();
                restores.remove(restore);
            } else if (restore.snapshotImport().hasFailed()) {
                restores.remove(restore);
                restore.snapshotImport().lost().ifPresent(HostTransferScheduler::rethrow);
                fail(restore.request());
            } else if (restore.snapshotImport().isComplete()) {
                restores.remove(restore);
                restore.request().restored();
                running.resumeSpeculation(restore.request());
                start.accept(
                        restore.request(),
                        cache.started(restore.place(), restore.snapshotImport()));
                any = true;
            }
        }
        return any;
    }

    private static void rethrow(ShardLostException loss) {
        throw loss;
    }

    /** Requeues a request whose restore failed; its prompt is computed instead. */
    private void fail(Request request) {
        LOG.log(
                System.Logger.Level.WARNING,
                "a prefix could not be restored from host memory; the prompt is computed again");
        request.failedToRestore();
        running.dropAndRequeue(List.of(request));
    }

    /** Discards all restores, after all sequences were lost. */
    void abandon() {
        restores.clear();
    }
}
