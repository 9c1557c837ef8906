package dev.varve.platform.shard;

import dev.varve.api.model.LayerRange;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Defaults of all shards in tests: the shard reports no memory, is always ready, exports zeros and
 * ignores imported state. A subclass implements the computation and overrides other methods as
 * needed.
 */
public abstract class FakeShard implements Shard {
    private final LayerRange range;
    private final String device;
    private final ComputeResource resource;

    /**
     * @param device name, such as {@code plain:0}
     * @param turn shards with equal ones never compute at once; a {@link ComputeResource} as it is
     */
    protected FakeShard(LayerRange range, String device, Object turn) {
        this.range = range;
        this.device = device;
        resource = turn instanceof ComputeResource given ? given : new ComputeResource(turn);
    }

    @Override
    public abstract CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary);

    @Override
    public final LayerRange range() {
        return range;
    }

    @Override
    public String device() {
        return device;
    }

    @Override
    public ShardMemory memory() {
        return new ShardMemory(0, 0, 0, 0);
    }

    @Override
    public final ComputeResource computesOn() {
        return resource;
    }

    @Override
    public void keepLogits(int results) {
        // Results have arrays of their own.
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
    public CompletableFuture<Void> change(CacheChanges changes) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
        for (int i = 0; i < parts.size(); i++) {
            target.accept(i, ByteBuffer.allocate((int) parts.get(i).bytes()));
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
        for (int i = 0; i < parts.size(); i++) {
            source.give(i, ByteBuffer.allocate((int) parts.get(i).bytes()));
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> recover() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
