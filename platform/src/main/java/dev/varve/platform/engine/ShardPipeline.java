package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.Boundary;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The shards of a model in layer order; a batch passes through all of them. Owns the shards. */
public final class ShardPipeline implements AutoCloseable {
    private final List<Shard> shards;

    /**
     * Joins shards.
     *
     * @throws IllegalArgumentException if the ranges do not follow each other from layer 0
     */
    public ShardPipeline(List<? extends Shard> shards) {
        this.shards = List.copyOf(shards);
        int next = 0;
        for (Shard shard : this.shards) {
            if (shard.range().begin() != next) {
                throw new IllegalArgumentException(
                        "shard " + shard.range() + " does not begin at layer " + next);
            }
            next = shard.range().end();
        }
        if (next == 0) {
            throw new IllegalArgumentException("a pipeline needs a shard");
        }
    }

    /**
     * Runs a batch through all shards and waits.
     *
     * @throws VarveException if a shard fails; the state of the batch's sequences is then undefined
     */
    public ShardResult forward(Batch batch) {
        Optional<Boundary> boundary = Optional.empty();
        ShardResult result = null;
        for (Shard shard : shards) {
            result = join(shard.forward(batch, boundary));
            boundary = result.boundary();
        }
        return result;
    }

    /** Copies K and V rows in all shards. */
    public void moveSlots(int from, int to, int count) {
        for (Shard shard : shards) {
            join(shard.moveSlots(from, to, count));
        }
    }

    /** Bytes of all shards. */
    public ShardMemory memory() {
        ShardMemory sum = new ShardMemory(0, 0, 0, 0);
        for (Shard shard : shards) {
            ShardMemory each = shard.memory();
            sum =
                    new ShardMemory(
                            sum.weights() + each.weights(),
                            sum.mappedWeights() + each.mappedWeights(),
                            sum.kv() + each.kv(),
                            sum.compute() + each.compute());
        }
        return sum;
    }

    private static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof VarveException failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        shards.forEach(Shard::close);
    }
}
