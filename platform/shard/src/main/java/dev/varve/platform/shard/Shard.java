package dev.varve.platform.shard;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.lora.AdapterChange;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One layer range of a model on one device, in this process or in another one. Calls take effect in
 * their order; a call may return at once or when the work is done, and several may be in flight.
 * Only one thread at a time may call it. The caller that opened a shard owns it.
 *
 * <p>Futures fail with a {@link dev.varve.api.VarveException}: of kind BACKEND_FAILED if the device
 * failed, after which the state of the sequences in the call is undefined; a {@link
 * ShardLostException} if the shard was lost with all of its state.
 */
public interface Shard extends AutoCloseable {
    /** The layers of this shard. */
    LayerRange range();

    /** Device and process, such as {@code cpu:0} or {@code vulkan:0@process}. */
    String device();

    /** Bytes that the shard holds. Never waits for a computation. */
    ShardMemory memory();

    /** The cores or the device that the shard computes on; other shards may share them. */
    ComputeResource computesOn();

    /**
     * Time spent so far on moving activations in and out, in milliseconds; for a shard in another
     * process, everything but its computing time.
     */
    double boundaryMillis();

    /**
     * Time that the calling threads spent so far on the computation of batches on the device, in
     * nanoseconds; 0 for a shard in another process.
     */
    default long computeNanos() {
        return 0;
    }

    /**
     * Graphs that were recorded and reused so far, those of {@link #warmUp} included; {@link
     * GraphCounts#NONE} for a shard in another process.
     */
    default GraphCounts graphs() {
        return GraphCounts.NONE;
    }

    /**
     * Experts that were found in memory and read from the file so far; {@link ExpertCounts#NONE} if
     * all are in memory, and for a shard in another process.
     */
    default ExpertCounts experts() {
        return ExpertCounts.NONE;
    }

    /** Bytes sent over the connection to the shard; empty for a shard in this process. */
    default Optional<RemoteConnectionTraffic> traffic() {
        return Optional.empty();
    }

    /** The process of the shard; empty if it is this one. */
    default Optional<RemoteProcessInfo> peer() {
        return Optional.empty();
    }

    /** Whether the shard can compute. */
    ShardHealth health();

    /**
     * Number of tokens at whose multiples a chunk may be cut into pieces ({@link
     * ChunkComputeMode#PIECE}, at least 16 tokens) that have its numbers; 1 if every cut is valid.
     */
    default int columnGroup() {
        return 16;
    }

    /**
     * Sets how many results with logits stay valid, for callers with several batches in flight.
     * Called before the first batch, if at all; otherwise it is one.
     *
     * @param results number of latest results with logits, at least 1
     */
    void keepLogits(int results);

    /**
     * Runs a batch: its changes, then its chunks. If it fails, the rows that it changes are
     * undefined as well.
     *
     * @param boundary activation from the shard before; present if and only if the range begins
     *     above 0
     */
    CompletableFuture<ShardResult> forward(Batch batch, Optional<LayerActivations> boundary);

    /**
     * Runs the steps of {@link #forward} without computing and without the changes, so that the
     * code of a step is compiled, and a graph recorded, before they are needed. The result has the
     * right shape but undefined values, and afterwards the caches of the batch's sequences are
     * undefined too. Call it only if {@link #canWarmUp}.
     */
    default CompletableFuture<ShardResult> warmUp(
            Batch batch, Optional<LayerActivations> boundary) {
        throw new UnsupportedOperationException(device());
    }

    /** Whether the shard supports {@link #warmUp}. */
    default boolean canWarmUp() {
        return false;
    }

    /** Changes the caches as a batch does before its chunks. */
    CompletableFuture<Void> change(CacheChanges changes);

    /**
     * Copies parts of sequences out of the caches, in the state after all earlier calls, unaffected
     * by later ones.
     *
     * @param parts of layers of this shard; a shard in another process accepts at most 1024 of
     *     them, of 64 MiB together
     * @param target receives the bytes of each part before the future completes
     * @return fails with a VarveException of kind INVALID_REQUEST if a part does not fit the caches
     */
    CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target);

    /**
     * Copies parts of sequences into the caches, for the calls after this one. All or nothing:
     * layers, types, sizes and places are compared with the caches before the first byte is copied.
     *
     * @param parts of layers of this shard, with the same limits as {@link #export}
     * @param source writes the bytes of each part before the future completes
     * @return fails with a VarveException of kind INVALID_REQUEST if a part does not fit the caches
     */
    CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source);

    /**
     * Adds or removes an adapter, for the calls after this one. If it fails, the shard has no
     * adapter with that number; a shard that is lost and restored loads the adapters that were
     * added last. The caller removes an adapter only after the last batch that uses it.
     *
     * @return fails with a VarveException of kind UNSUPPORTED_MODEL or CORRUPT_FILE if the adapter
     *     does not fit the model, INVALID_REQUEST if the shard has another file, OUT_OF_MEMORY if
     *     the device has no room
     */
    default CompletableFuture<Void> adapt(AdapterChange change) {
        return CompletableFuture.failedFuture(
                new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        device() + ": adapters cannot be changed"));
    }

    /**
     * Makes a lost shard usable again, with empty caches; completes at once if it was not lost.
     * Until it has completed, a shard that was lost rejects calls, so that no call reads the empty
     * caches unnoticed.
     *
     * @return fails if the shard is closed first
     */
    CompletableFuture<Void> recover();

    /**
     * Frees everything that the shard holds; it accepts no more calls. Closing twice is allowed.
     */
    @Override
    void close();
}
