package dev.varve.platform.compression.selection;

import java.util.BitSet;
import java.util.List;

/**
 * Finds the chunks of a text's body, which is all before the query at its end, in which words of
 * other parts stand. Words of which a token is protected make no chunk stay: they stay anyway, and
 * the marks between messages would be anchors else.
 */
final class AnchorSearch {
    private final TextChunks chunks;
    private final AnchorSettings settings;
    private final AnchorReach reach;

    AnchorSearch(TextChunks chunks, AnchorSettings settings) {
        this.chunks = chunks;
        this.settings = settings;
        reach = settings.reach(chunks.grid().chunks());
    }

    /** Where the body ends and the query begins. */
    int bodyEnd() {
        return settings.queryBegin(chunks.ids().length);
    }

    /** Chunks with words of the query. */
    BitSet direct() {
        int tokens = chunks.ids().length;
        return bodyEnd() == tokens
                ? new BitSet()
                : of(List.of(new TokenRange(bodyEnd(), tokens)), new BitSet());
    }

    /**
     * Chunks with words that stand in some parts of the text, each at few places.
     *
     * @param known chunks whose own words lead nowhere
     */
    BitSet of(List<TokenRange> parts, BitSet known) {
        NgramSearch search = new NgramSearch(chunks.ids(), settings.ngram());
        parts.forEach(search::add);
        ChunkGrid grid = chunks.grid();
        BitSet found = new BitSet();
        // The very first place counts even where the query begins before the words there end.
        int end = Math.max(0, bodyEnd() - settings.ngram()) + 1;
        for (int at : search.find(end, reach.mostHits())) {
            if (!known.get(grid.chunk(at)) && chunks.isFree(at, settings.ngram())) {
                grid.addAround(at, reach.radius(), found);
            }
        }
        return found;
    }
}
