package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.FakeShard;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardResult;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A shard of a counting model: it takes a fixed time per batch and no processor time. The boundary
 * holds the sum of the tokens; each shard adds its number of layers, and the last one returns the
 * result.
 */
final class TimedShard extends FakeShard {
    private final boolean last;
    private final Duration time;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon(true).name("timed-shard").factory());
    private final Set<Integer> failing = ConcurrentHashMap.newKeySet();
    private final Set<Integer> refused = ConcurrentHashMap.newKeySet();
    private final Set<Integer> unoffered = ConcurrentHashMap.newKeySet();
    private final List<Long> order = new ArrayList<>();
    private final AtomicInteger together;
    private final AtomicInteger mostTogether = new AtomicInteger();

    /**
     * @param together batches that all shards of a test compute at the moment
     */
    TimedShard(LayerRange range, boolean last, Object turn, Duration time, AtomicInteger together) {
        super(range, "timed:" + range.begin(), turn);
        this.last = last;
        this.time = time;
        this.together = together;
    }

    /** Makes batches fail that contain a token. */
    void failAt(int token) {
        failing.add(token);
    }

    /** Omits the input of a layer from results. */
    void offerNot(int layer) {
        unoffered.add(layer);
    }

    /** Rejects batches that contain a token, as a wrong use. */
    void refuseAt(int token) {
        refused.add(token);
    }

    /** Returns the sequences of the batches in order of arrival. */
    List<Long> order() {
        synchronized (order) {
            return List.copyOf(order);
        }
    }

    /** Returns the most batches that ran at once while this shard computed one. */
    int mostTogether() {
        return mostTogether.get();
    }

    @Override
    public CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        synchronized (order) {
            order.add(batch.chunks().getFirst().sequence());
        }
        for (SequenceChunk chunk : batch.chunks()) {
            if (Arrays.stream(chunk.tokens()).anyMatch(refused::contains)) {
                throw new IllegalArgumentException("nothing to continue");
            }
        }
        int now = together.incrementAndGet();
        mostTogether.accumulateAndGet(now, Math::max);
        CompletableFuture<ShardResult> result = new CompletableFuture<>();
        clock.schedule(
                () -> {
                    together.decrementAndGet();
                    finish(batch, boundary, result);
                },
                time.toMillis(),
                TimeUnit.MILLISECONDS);
        return result;
    }

    private void finish(
            Batch batch,
            Optional<LayerActivations> boundary,
            CompletableFuture<ShardResult> result) {
        float sum = boundary.map(each -> each.values()[0]).orElse(0f);
        for (SequenceChunk chunk : batch.chunks()) {
            for (int token : chunk.tokens()) {
                if (failing.contains(token)) {
                    result.completeExceptionally(
                            new VarveException(
                                    VarveException.Kind.BACKEND_FAILED, "token " + token));
                    return;
                }
                sum += boundary.isPresent() ? 0 : token;
            }
        }
        float[] out = {sum + range().size()};
        List<CapturedFeature> features =
                batch.captures().stream()
                        .filter(range()::computesInputOf)
                        .filter(layer -> !unoffered.contains(layer))
                        .map(layer -> new CapturedFeature(layer, new float[] {layer}, 1))
                        .toList();
        int rows = last ? batch.outputs() : 0;
        int[] best = new int[rows];
        Arrays.fill(best, (int) out[0] % 1000);
        result.complete(
                new ShardResult(
                        last ? out : new float[0],
                        best,
                        rows,
                        last
                                ? Optional.empty()
                                : Optional.of(new HostActivations(out, batch.tokens())),
                        features));
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
