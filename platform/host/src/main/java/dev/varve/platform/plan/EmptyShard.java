package dev.varve.platform.plan;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.ComputeResource;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A shard that computes nothing and holds nothing: token 0 follows every token. */
final class EmptyShard implements Shard {
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final LayerRange range;
    private final ComputeResource resource;

    /** Logits per token; 0 if the shard is not the last one. */
    private final int vocabulary;

    private float[] logits = new float[0];

    private EmptyShard(LayerRange range, String turn, int vocabulary) {
        this.range = range;
        resource = new ComputeResource(turn);
        this.vocabulary = vocabulary;
    }

    /**
     * Creates a shard of a model.
     *
     * @param turn shards with equal ones take turns
     */
    static EmptyShard of(ModelShape shape, LayerRange range, String turn) {
        boolean isLast = range.end() == shape.layerCount();
        return new EmptyShard(range, turn, isLast ? shape.vocabularySize() : 0);
    }

    @Override
    public CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        boolean isLast = vocabulary > 0;
        int rows = isLast ? batch.outputs() : 0;
        if (logits.length < rows * vocabulary) {
            logits = new float[rows * vocabulary];
        }
        return CompletableFuture.completedFuture(
                new ShardResult(
                        logits,
                        new int[rows],
                        rows,
                        isLast
                                ? Optional.empty()
                                : Optional.of(new HostActivations(new float[0], batch.tokens())),
                        List.of()));
    }

    @Override
    public LayerRange range() {
        return range;
    }

    @Override
    public String device() {
        return "empty";
    }

    @Override
    public ShardMemory memory() {
        return new ShardMemory(0, 0, 0, 0);
    }

    @Override
    public ComputeResource computesOn() {
        return resource;
    }

    @Override
    public double boundaryMillis() {
        return 0;
    }

    @Override
    public ShardHealth health() {
        return ShardHealth.ready();
    }

    @Override
    public void keepLogits(int results) {
        // They are always zeros.
    }

    @Override
    public CompletableFuture<Void> change(CacheChanges changes) {
        return DONE;
    }

    @Override
    public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
        throw new UnsupportedOperationException("no cached prefixes leave the caches");
    }

    @Override
    public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
        throw new UnsupportedOperationException("no cached prefixes enter the caches");
    }

    @Override
    public CompletableFuture<Void> recover() {
        return DONE;
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
