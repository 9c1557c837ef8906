package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.FakeShard;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardResult;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A shard of a whole model that always returns token 1, and that a test can lose. Thread-safe. */
final class LosableShard extends FakeShard {
    private boolean lost;
    private boolean progressing;
    private long lostNanos;
    private long backAfterNanos;
    private long steps;
    private CompletableFuture<Void> back = CompletableFuture.completedFuture(null);

    LosableShard(LayerRange range) {
        super(range, "losable:0", new Object());
    }

    /**
     * Loses the shard, or changes the course of its recovery if it is lost.
     *
     * @param backAfterMillis time until it is back; detected by a read of its health
     * @param makesProgress whether each read of its health reports one more loading step
     */
    synchronized void lose(long backAfterMillis, boolean makesProgress) {
        if (!lost) {
            back = new CompletableFuture<>();
        }
        lost = true;
        progressing = makesProgress;
        lostNanos = System.nanoTime();
        backAfterNanos =
                backAfterMillis == Long.MAX_VALUE ? Long.MAX_VALUE : backAfterMillis * 1_000_000;
    }

    synchronized boolean isLost() {
        return lost;
    }

    @Override
    public synchronized ShardHealth health() {
        if (lost && System.nanoTime() - lostNanos > backAfterNanos) {
            lost = false;
            back.complete(null);
        }
        if (!lost) {
            return ShardHealth.ready();
        }
        steps += progressing ? 1 : 0;
        return new ShardHealth(
                ShardHealth.State.LOADING,
                Optional.of("lost"),
                0,
                Optional.of(new ShardHealth.Recovery(steps, 1000, steps)));
    }

    @Override
    public synchronized CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        if (lost) {
            return CompletableFuture.failedFuture(new ShardLostException("it is lost"));
        }
        int[] best = new int[batch.outputs()];
        Arrays.fill(best, 1);
        return CompletableFuture.completedFuture(
                new ShardResult(new float[0], best, best.length, Optional.empty(), List.of()));
    }

    @Override
    public synchronized CompletableFuture<Void> recover() {
        return back.copy();
    }
}
