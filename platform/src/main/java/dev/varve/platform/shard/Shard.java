package dev.varve.platform.shard;

import dev.varve.api.model.LayerRange;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One layer range of a model on one device. Batches run in the order of the calls; the caller keeps
 * one thread. Owned by who opened it.
 */
public interface Shard extends AutoCloseable {
    /** The layers of this shard. */
    LayerRange range();

    /** Bytes that the shard holds. */
    ShardMemory memory();

    /**
     * Runs a batch.
     *
     * @param boundary activation from the shard before; present exactly where the range begins
     *     above 0
     * @return completes with the result, or with a {@link dev.varve.api.VarveException} of kind
     *     BACKEND_FAILED, after which the state of the batch's sequences is undefined
     */
    CompletableFuture<ShardResult> forward(Batch batch, Optional<Boundary> boundary);

    /** Copies the K and V rows of {@code count} slots to another place; the regions may overlap. */
    CompletableFuture<Void> moveSlots(int from, int to, int count);

    @Override
    void close();
}
