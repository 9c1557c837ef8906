package dev.varve.platform.shard;

import dev.varve.api.model.LayerRange;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One layer range of a model on one device, in this process or in another one. Calls take effect in
 * their order and return at once or when the work is done, as the shard likes; several may be in
 * flight. Callers make them from one thread at a time. Owned by who opened it.
 *
 * <p>Futures fail with a {@link dev.varve.api.VarveException}: of kind BACKEND_FAILED if the device
 * failed, after which the state of the sequences in the call is undefined; a {@link
 * ShardLostException} if the shard is gone with all of its state.
 */
public interface Shard extends AutoCloseable {
    /** The layers of this shard. */
    LayerRange range();

    /** Device and process, such as {@code cpu:0} or {@code vulkan:0@process}. */
    String device();

    /** Bytes that the shard holds. Never waits for a computation. */
    ShardMemory memory();

    /** The cores or the device that the shard computes on, which others may share. */
    ComputeUnit computesOn();

    /**
     * Time spent so far on moving activations in and out, in milliseconds; for a shard in another
     * process everything but its computing.
     */
    double boundaryMillis();

    /** What went over the connection to the shard; nothing for a shard in this process. */
    default Optional<ShardTraffic> traffic() {
        return Optional.empty();
    }

    /** The process that the shard is in; empty for this one. */
    default Optional<RemoteShardProcess> peer() {
        return Optional.empty();
    }

    /** Whether the shard can compute. */
    ShardHealth health();

    /**
     * Tokens in whose multiples a chunk may be cut into pieces of at least 16 ({@link
     * ChunkComputeMode#PIECE}) that have its numbers; 1 if any number will do.
     */
    default int columnGroup() {
        return 16;
    }

    /**
     * Runs a batch: its changes, then its slices. If it fails, the rows that it was to change are
     * undefined as well.
     *
     * @param boundary activation from the shard before; present exactly where the range begins
     *     above 0
     */
    CompletableFuture<ShardResult> forward(Batch batch, Optional<LayerActivations> boundary);

    /**
     * Goes through all that {@link #forward} does but the computing and the changes, so that the
     * code of a step is compiled, and a graph recorded, before they are needed. What comes out has
     * the right shape and no meaning, and so has afterwards what the caches hold of the batch's
     * sequences. To be called only if {@link #canRehearse}.
     */
    default CompletableFuture<ShardResult> rehearse(
            Batch batch, Optional<LayerActivations> boundary) {
        throw new UnsupportedOperationException(device());
    }

    /** Whether the shard knows how to {@link #rehearse}. */
    default boolean canRehearse() {
        return false;
    }

    /** Changes the caches as a batch does before its slices. */
    CompletableFuture<Void> change(CacheChanges changes);

    /**
     * Copies parts of sequences out of the caches, as they are behind the calls before this one and
     * whatever comes after it.
     *
     * @param parts of layers of this shard; one in another process takes at most 1024 of them, of
     *     64 MiB together
     * @param target takes the bytes of each part before the future is done
     * @return fails with a VarveException of kind INVALID_REQUEST if a part does not fit the caches
     */
    CompletableFuture<Void> export(List<CachePart> parts, CachePartTransfer target);

    /**
     * Copies parts of sequences into the caches, for the calls behind this one. All or nothing:
     * layers, types, extents and places are compared with the caches before the first byte.
     *
     * @param parts likewise
     * @param source gives the bytes of each part before the future is done
     * @return fails with a VarveException of kind INVALID_REQUEST if a part does not fit the caches
     */
    CompletableFuture<Void> adopt(List<CachePart> parts, CachePartTransfer source);

    /**
     * Makes a lost shard usable again, with caches that hold nothing; completes at once if it was
     * not lost. Until it has completed, a shard that was lost takes no calls, so that none of them
     * meets the empty caches unawares.
     *
     * @return fails if the shard is closed first
     */
    CompletableFuture<Void> recover();

    /** Frees everything that the shard holds; it takes no more calls. Closing twice is allowed. */
    @Override
    void close();
}
