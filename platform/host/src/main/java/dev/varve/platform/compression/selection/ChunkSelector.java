package dev.varve.platform.compression.selection;

import dev.varve.platform.shard.scoring.TailQueries;

import java.util.BitSet;

/**
 * Chooses what stays of a text: its edges, places with words of its end, and of all other chunks
 * those with the best scores, for which words always leave some room. What must stay may be more
 * than was asked for, so that a text may shrink less than it should; the result tells. The same
 * text, scores and settings always give the same choice. Thread-safe.
 */
public final class ChunkSelector {
    private final SelectionSettings settings;

    /** Chooses by some settings. */
    public ChunkSelector(SelectionSettings settings) {
        this.settings = settings;
    }

    /**
     * Chooses what stays. A text of less than {@value TailQueries#LEAST_TOKENS} tokens stays as it
     * is.
     *
     * @return ranges of whole chunks, and of protected tokens
     */
    public Selection select(ScoredText text, KeepBudget budget) {
        if (text.isShort()) {
            return Selection.whole(text.tokens(), budget.keep());
        }
        TextChunks chunks = TextChunks.of(text, settings.pooling().chunkTokens());
        TokenKeepReasons tokens = new TokenKeepReasons(text.tokens());
        text.spans().ranges().forEach(range -> tokens.keep(range, KeepReason.PROTECTED));
        BitSet droppable = chunks.droppable();
        if (!droppable.isEmpty()) {
            int count = droppable.cardinality();
            KeptChunks marks = new KeptChunks(droppable, values(chunks), budget.most(count));
            choose(chunks, budget.wanted(count), marks);
            marks.mark(chunks.grid(), tokens);
        }
        return tokens.selection(budget.keep());
    }

    private double[] values(TextChunks chunks) {
        double[] smooth = SmoothScores.of(chunks.text().scores(), settings.pooling().width());
        return ChunkScores.of(smooth, chunks.grid(), chunks.fixed());
    }

    private void choose(TextChunks chunks, int wanted, KeptChunks marks) {
        keepEdges(chunks.grid().chunks(), wanted, marks);
        AnchorSearch anchors = new AnchorSearch(chunks, settings.anchors());
        BitSet direct = anchors.direct();
        keepBest(direct, wanted, marks);
        marks.keepAll(direct, KeepReason.ANCHOR);
        settings.transitive()
                .map(
                        rule ->
                                new TransitiveAnchors(chunks, anchors, rule)
                                        .expand(direct, rule.mostChunks().orElse(wanted)))
                .ifPresent(all -> marks.keepAll(all, KeepReason.TRANSITIVE));
        settings.repeats()
                .ifPresent(
                        rule ->
                                new RecurringTokenRule(chunks, anchors.bodyEnd())
                                        .keep(rule, rule.chunks().orElse(wanted), marks));
        marks.fill(wanted, KeepReason.SCORE);
    }

    /**
     * Keeps the best chunks before words may take all that was asked for: half of what the edges
     * leave of it, rounded up. Ordinary words of the question stand in many places of a long text,
     * and its answer often in none of them.
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

    /** Edges are those of the whole text: where they are protected, more is left for others. */
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
