package dev.varve.platform.shard.local;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.PageMap;
import dev.varve.platform.shard.SequenceChunk;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Pages of spans that do not lie in the order of their positions, as the engine keeps them. A sum
 * of the same numbers in another order has other last bits, so their rows are brought into that
 * order before a batch is computed, and back behind it. This copies whole spans; spans in order,
 * which is all that the engine makes, cost nothing.
 */
final class PageReordering {
    /** The slices to compute, with their pages in order. */
    private final Batch batch;

    private final List<Span> spans = new ArrayList<>();

    /**
     * A span out of order.
     *
     * @param begin its first slot
     * @param runs by run in order the run where its page lies; those of no page come last
     */
    private record Span(int begin, int[] runs) {}

    private PageReordering(Batch given) {
        List<SequenceChunk> slices = new ArrayList<>(given.slices().size());
        for (SequenceChunk slice : given.slices()) {
            slices.add(slice.place().pages().isInOrder() ? slice : inOrder(slice));
        }
        batch =
                spans.isEmpty()
                        ? given
                        : new Batch(
                                given.changes(),
                                slices,
                                given.phase(),
                                given.captures(),
                                given.queries());
    }

    static PageReordering of(Batch batch) {
        return new PageReordering(batch);
    }

    Batch batch() {
        return batch;
    }

    private SequenceChunk inOrder(SequenceChunk slice) {
        ChunkPlacement place = slice.place();
        PageMap pages = place.pages();
        int[] runs =
                IntStream.range(0, pages.size())
                        .boxed()
                        .sorted((run, other) -> byPage(pages.page(run), pages.page(other)))
                        .mapToInt(Integer::intValue)
                        .toArray();
        spans.add(new Span(place.slots().begin(), runs));
        return new SequenceChunk(
                slice.sequence(),
                slice.tokens(),
                new ChunkPlacement(
                        place.firstPosition(),
                        place.slots(),
                        place.readRow(),
                        place.writeRow(),
                        place.stash(),
                        PageMap.of(IntStream.of(runs).map(pages::page).toArray())),
                slice.outputs(),
                slice.kind(),
                slice.tree());
    }

    /** Ascending, and what is no page last. */
    private static int byPage(int page, int other) {
        return Integer.compareUnsigned(page, other);
    }

    /** Brings rows into their order. */
    void arrange(KvPool pool) {
        spans.forEach(span -> pool.permute(span.begin(), span.runs()));
    }

    /** Brings them back, those that were written since too. */
    void restore(KvPool pool) {
        for (Span span : spans) {
            int[] back = new int[span.runs().length];
            for (int run = 0; run < back.length; run++) {
                back[span.runs()[run]] = run;
            }
            pool.permute(span.begin(), back);
        }
    }
}
