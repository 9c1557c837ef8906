package dev.varve.platform.engine;

import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.prefix.SnapshotImport;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.shard.ShardLostException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Requests whose beginning is on its way from host memory, and what else moves between it and the
 * devices. Only the engine's thread uses it.
 */
final class PendingRestores {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** How long a step with tokens of decode may be held up. */
    private static final long BESIDE_STREAMS = Duration.ofMillis(2).toNanos();

    /** How long a step with a chunk of a prompt may be held up. */
    private static final long BESIDE_PROMPTS = Duration.ofMillis(15).toNanos();

    /** How long a request that comes may find the engine at this. */
    private static final long ALONE = Duration.ofMillis(20).toNanos();

    /** Bytes on their way to other processes, which a step there waits for. */
    private static final long BYTES_BESIDE = 6 << 20;

    /** How long the end of an engine may be put off. */
    private static final Duration FINISH = Duration.ofSeconds(5);

    private static final long BYTES_ALONE = 48 << 20;

    private final PrefixCache cache;
    private final RunningRequests running;
    private final BiConsumer<Request, PrefixLookupResult> start;
    private final List<Restore> restores = new ArrayList<>();

    private record Restore(Request request, CachedSequence place, SnapshotImport arrival) {
        boolean isWanted() {
            return request.isRestoring() && request.sequence() == place;
        }
    }

    /**
     * @param start tells a request that it can be computed
     */
    PendingRestores(
            PrefixCache cache,
            RunningRequests running,
            BiConsumer<Request, PrefixLookupResult> start) {
        this.cache = cache;
        this.running = running;
        this.start = start;
    }

    void add(Request request, SnapshotImport arrival) {
        request.restore();
        restores.add(new Restore(request, request.sequence(), arrival));
    }

    /** Whether nothing is to be copied. */
    boolean isIdle() {
        return restores.isEmpty() && cache.isIdle();
    }

    /**
     * Copies for a moment, and lets requests go on whose beginning is there.
     *
     * @throws ShardLostException if a shard is gone for which something was on its way
     */
    void run() {
        if (isIdle()) {
            return;
        }
        boolean streams = running.anyMatch(Request::isInDecode);
        boolean alone = !streams && !running.anyMatch(Request::isInPrefill);
        cache.move(
                alone ? ALONE : streams ? BESIDE_STREAMS : BESIDE_PROMPTS,
                alone ? BYTES_ALONE : BYTES_BESIDE);
        if (alone && !settle()) {
            // Nothing else is to be done until something has come.
            cache.await();
        }
        settle();
    }

    /** Copies all that is to be kept, for at most a few seconds. */
    void finish() {
        long end = System.nanoTime() + FINISH.toNanos();
        while (!cache.isIdle() && System.nanoTime() < end) {
            cache.move(ALONE, BYTES_ALONE);
            cache.await();
        }
        cache.move(0, 0);
    }

    /** Returns whether a request can go on. */
    private boolean settle() {
        boolean any = false;
        for (Restore restore : List.copyOf(restores)) {
            if (!restore.isWanted()) {
                restore.arrival().giveUp();
                restores.remove(restore);
            } else if (restore.arrival().hasFailed()) {
                restores.remove(restore);
                restore.arrival().lost().ifPresent(PendingRestores::rethrow);
                fail(restore.request());
            } else if (restore.arrival().hasArrived()) {
                restores.remove(restore);
                restore.request().restored();
                running.goesOn(restore.request());
                start.accept(restore.request(), cache.started(restore.place(), restore.arrival()));
                any = true;
            }
        }
        return any;
    }

    private static void rethrow(ShardLostException loss) {
        throw loss;
    }

    /** The request is computed instead. */
    private void fail(Request request) {
        LOG.log(
                System.Logger.Level.WARNING,
                "a prompt could not be restored from host memory; it is computed");
        request.failedToRestore();
        running.putBack(List.of(request));
    }

    /** All places are gone. */
    void abandon() {
        restores.clear();
    }
}
