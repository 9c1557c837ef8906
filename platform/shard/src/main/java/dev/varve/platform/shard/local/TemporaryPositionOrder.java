package dev.varve.platform.shard.local;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SlotPositionMap;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reorders pages of spans that are not in the order of their positions. A sum of the same numbers
 * in another order has other last bits, so their rows are moved into that order before a batch is
 * computed, and back after it. This copies whole spans; spans in order cost nothing, and the engine
 * creates only those.
 */
final class TemporaryPositionOrder {
    /** The chunks to compute, with their pages in order. */
    private final Batch batch;

    private final List<OutOfOrderSpan> spans = new ArrayList<>();

    /**
     * A span out of order.
     *
     * @param begin its first slot
     * @param runs for each run in order the run that holds its page; runs without a page come last
     */
    private record OutOfOrderSpan(int begin, int[] runs) {}

    private TemporaryPositionOrder(Batch given) {
        List<SequenceChunk> chunks = new ArrayList<>(given.chunks().size());
        for (SequenceChunk chunk : given.chunks()) {
            chunks.add(chunk.place().positions().isInOrder() ? chunk : inOrder(chunk));
        }
        batch =
                spans.isEmpty()
                        ? given
                        : new Batch(
                                given.changes(),
                                chunks,
                                given.phase(),
                                given.captures(),
                                given.queries());
    }

    static TemporaryPositionOrder of(Batch batch) {
        return new TemporaryPositionOrder(batch);
    }

    Batch batch() {
        return batch;
    }

    private SequenceChunk inOrder(SequenceChunk chunk) {
        ChunkPlacement place = chunk.place();
        SlotPositionMap positions = place.positions();
        int[] runs =
                IntStream.range(0, positions.size())
                        .boxed()
                        .sorted((run, other) -> byPage(positions.page(run), positions.page(other)))
                        .mapToInt(Integer::intValue)
                        .toArray();
        spans.add(new OutOfOrderSpan(place.slots().begin(), runs));
        return chunk.at(
                new ChunkPlacement(
                        place.firstPosition(),
                        place.slots(),
                        place.readRow(),
                        place.writeRow(),
                        place.rollbackBuffer(),
                        SlotPositionMap.of(IntStream.of(runs).map(positions::page).toArray())));
    }

    /** Ascending; runs without a page last. */
    private static int byPage(int page, int other) {
        return Integer.compareUnsigned(page, other);
    }

    /** Moves rows into the order of positions. */
    void arrange(KvPool pool) {
        spans.forEach(span -> pool.permute(span.begin(), span.runs()));
    }

    /** Moves rows back, including those written since. */
    void restore(KvPool pool) {
        for (OutOfOrderSpan span : spans) {
            int[] back = new int[span.runs().length];
            for (int run = 0; run < back.length; run++) {
                back[span.runs()[run]] = run;
            }
            pool.permute(span.begin(), back);
        }
    }
}
