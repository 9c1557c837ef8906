package dev.varve.platform.shard.local;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.SequenceChunk;

import java.util.ArrayList;
import java.util.List;

/**
 * A batch with the slots of its K and V rows in this shard.
 *
 * @param full per chunk, rows of full attention layers
 * @param window per chunk, rows of sliding layers
 */
record PlacedBatch(Batch batch, List<KvView> full, List<KvView> window) {
    /** Allocates slots in the window regions, which may move rows. */
    static PlacedBatch place(Batch batch, WindowRegions windows) {
        List<KvView> full = new ArrayList<>(batch.chunks().size());
        List<KvView> window = new ArrayList<>(batch.chunks().size());
        for (SequenceChunk chunk : batch.chunks()) {
            full.add(KvView.whole(chunk));
            window.add(windows.place(chunk));
        }
        return new PlacedBatch(batch, full, window);
    }
}
