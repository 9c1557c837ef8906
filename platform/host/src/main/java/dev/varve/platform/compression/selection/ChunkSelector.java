package dev.varve.platform.compression.selection;

import dev.varve.platform.shard.scoring.TailQueries;

import java.util.BitSet;

/**
 * Selects the kept chunks of a text: its edges, places that match its end, and the chunks with the
 * best scores, for which anchors always leave some room. The chunks that must be kept may exceed
 * the budget, so a text may shrink less than requested; the result reports this. The same text,
 * scores and settings always give the same selection. Thread-safe.
 */
public final class ChunkSelector {
    /** Tokens of a chunk. */
    public static final int CHUNK_TOKENS = 32;

    /** Window of the mean that smooths the scores of tokens. */
    private static final int SMOOTHED_TOKENS = 13;

    /** Largest number of occurrences of a token that leads from an anchor to further chunks. */
    private static final int RARE_TOKENS = 8;

    private static final int TRANSITIVE_ROUNDS = 8;

    private final SelectionSettings settings;

    /** Creates a selector with the given settings. */
    public ChunkSelector(SelectionSettings settings) {
        this.settings = settings;
    }

    /**
     * Selects the kept tokens. A text of less than {@value TailQueries#LEAST_TOKENS} tokens is kept
     * whole. Only tokens that are not protected count as text and as kept.
     *
     * @param keep part of the chunks to keep; chunks that must be kept may exceed it
     * @param mostChunks hard limit for kept chunks, positive; the least important of those that
     *     must be kept are dropped beyond it
     * @return ranges of whole chunks, and of protected tokens
     */
    public Selection select(ScoredText text, KeepRatio keep, int mostChunks) {
        if (text.isShort()) {
            return Selection.whole(text.tokens());
        }
        ChunkedText chunks = ChunkedText.of(text, CHUNK_TOKENS);
        TokenKeepReasons tokens = new TokenKeepReasons(text.tokens());
        text.spans().ranges().forEach(range -> tokens.keep(range, KeepReason.PROTECTED));
        BitSet droppable = chunks.droppable();
        if (!droppable.isEmpty()) {
            int count = droppable.cardinality();
            int most = Math.min(count, mostChunks);
            KeptChunks marks = new KeptChunks(droppable, values(chunks), most);
            choose(chunks, Math.min(keep.of(count), most), marks);
            marks.mark(chunks.grid(), tokens);
        }
        return tokens.selection();
    }

    private double[] values(ChunkedText chunks) {
        double[] smooth = SmoothScores.of(chunks.text().scores(), SMOOTHED_TOKENS);
        return ChunkScorer.of(smooth, chunks.grid(), chunks.fixed());
    }

    private void choose(ChunkedText chunks, int wanted, KeptChunks marks) {
        keepEdges(chunks.grid().chunks(), wanted, marks);
        AnchorSearch anchors = new AnchorSearch(chunks, settings.anchors());
        BitSet direct = anchors.direct();
        keepBest(direct, wanted, marks);
        marks.keepAll(direct, KeepReason.ANCHOR);
        if (settings.hops()) {
            marks.keepAll(
                    new TransitiveAnchors(chunks, anchors, RARE_TOKENS, TRANSITIVE_ROUNDS)
                            .expand(direct, wanted),
                    KeepReason.TRANSITIVE);
        }
        settings.repeats()
                .ifPresent(
                        rule ->
                                new RecurringTokenRule(chunks, anchors.bodyEnd())
                                        .keep(rule, rule.chunks().orElse(wanted), marks));
        marks.fill(wanted, KeepReason.SCORE);
    }

    /**
     * Keeps the best chunks first, so that anchors cannot use up the budget: half of what the edges
     * leave of it, rounded up. Ordinary words of the question occur at many places of a long text,
     * and the answer often contains none of them.
     */
    private static void keepBest(BitSet anchors, int wanted, KeptChunks marks) {
        int room = wanted - marks.count();
        if (marks.missing(anchors).cardinality() < room) {
            return;
        }
        BitSet best = marks.best(Math.ceilDiv(room, 2));
        BitSet both = (BitSet) best.clone();
        both.and(anchors);
        marks.keepAll(both, KeepReason.ANCHOR);
        marks.keepAll(best, KeepReason.SCORE);
    }

    /**
     * Keeps the edges of the whole text: where they are protected, more budget is left for other
     * chunks.
     */
    private void keepEdges(int chunks, int wanted, KeptChunks marks) {
        SelectionSettings.Edges edges = settings.edges().within(wanted);
        for (int chunk = 0; chunk < Math.min(chunks, edges.head()); chunk++) {
            marks.keep(chunk, KeepReason.HEAD);
        }
        for (int chunk = Math.max(0, chunks - edges.tail()); chunk < chunks; chunk++) {
            marks.keep(chunk, KeepReason.TAIL);
        }
    }
}
