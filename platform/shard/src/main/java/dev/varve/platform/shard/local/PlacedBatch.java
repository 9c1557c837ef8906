package dev.varve.platform.shard.local;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.SequenceChunk;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A batch with the slots of its K and V rows in this shard.
 *
 * @param full per chunk, rows of full attention layers
 * @param window per chunk, rows of sliding layers
 */
record PlacedBatch(Batch batch, List<AttendedKvRange> full, List<AttendedKvRange> window) {
    /**
     * Allocates slots in the window regions, which may move rows.
     *
     * @throws IllegalArgumentException if a chunk continues a window that the batch computes
     */
    static PlacedBatch place(Batch batch, WindowSlotMap windows) {
        List<AttendedKvRange> full = new ArrayList<>(batch.chunks().size());
        List<AttendedKvRange> window = new ArrayList<>(batch.chunks().size());
        if (windows.slides()) {
            requireOneChunkEach(batch);
        }
        for (SequenceChunk chunk : batch.chunks()) {
            full.add(AttendedKvRange.whole(chunk));
            window.add(windows.place(chunk));
        }
        return new PlacedBatch(batch, full, window);
    }

    /** Windows are moved before the batch is computed. */
    private static void requireOneChunkEach(Batch batch) {
        Set<Integer> written = new HashSet<>();
        for (SequenceChunk chunk : batch.chunks()) {
            if (written.contains(chunk.readRow())) {
                throw new IllegalArgumentException(
                        "a chunk continues the window in state row "
                                + chunk.readRow()
                                + ", which its batch writes");
            }
            written.add(chunk.writeRow());
        }
    }

    /** Whether the inputs that do not depend on tokens are equal, for batches of equal graphs. */
    boolean hasPlacesOf(PlacedBatch other) {
        for (int i = 0; i < batch.chunks().size(); i++) {
            SequenceChunk chunk = batch.chunks().get(i);
            SequenceChunk same = other.batch.chunks().get(i);
            if (chunk.firstPosition() != same.firstPosition()
                    || !chunk.images().hasPlacesOf(same.images())) {
                return false;
            }
        }
        return full.equals(other.full) && window.equals(other.window);
    }

    /**
     * Returns the batch that follows if every sequence continues with one token in the slots that
     * are read now; its tokens are unknown yet. Empty if it may need other slots.
     */
    Optional<PlacedBatch> next() {
        List<SequenceChunk> chunks = new ArrayList<>(batch.chunks().size());
        for (int i = 0; i < batch.chunks().size(); i++) {
            SequenceChunk chunk = batch.chunks().get(i);
            ChunkPlacement place = chunk.place();
            int position = chunk.firstPosition() + 1;
            if (chunk.tokens().length > 1
                    || place.isDrafted()
                    || !place.positions().isStraight()
                    || position % KvSlotSpan.BLOCK == 0) {
                return Optional.empty();
            }
            chunks.add(
                    chunk.at(
                            new ChunkPlacement(
                                    position, place.slots(), place.writeRow(), place.writeRow())));
        }
        return Optional.of(new PlacedBatch(new Batch(chunks, batch.phase()), full, window));
    }
}
