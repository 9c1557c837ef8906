package dev.varve.platform.shard.local;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.SequenceChunk;

import java.util.ArrayList;
import java.util.List;

/**
 * A batch with the slots of its K and V rows in this shard.
 *
 * @param full per slice, rows of full attention layers
 * @param window per slice, rows of sliding layers
 */
record PlacedBatch(Batch batch, List<KvView> full, List<KvView> window) {
    /** Allocates slots in the window regions, which may move rows. */
    static PlacedBatch place(Batch batch, WindowRegions windows) {
        List<KvView> full = new ArrayList<>(batch.slices().size());
        List<KvView> window = new ArrayList<>(batch.slices().size());
        for (SequenceChunk slice : batch.slices()) {
            full.add(KvView.whole(slice));
            window.add(windows.place(slice));
        }
        return new PlacedBatch(batch, full, window);
    }
}
