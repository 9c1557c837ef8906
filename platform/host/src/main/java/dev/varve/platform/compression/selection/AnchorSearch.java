package dev.varve.platform.compression.selection;

import java.util.BitSet;
import java.util.List;

/**
 * Finds the chunks of a text's body, which is everything before the query at its end, that contain
 * n-grams of other parts. N-grams with a protected token are ignored: they are kept anyway, and
 * template markup between messages would become anchors.
 */
final class AnchorSearch {
    private final ChunkedText chunks;
    private final AnchorSettings settings;
    private final int radius;
    private final int mostHits;

    AnchorSearch(ChunkedText chunks, AnchorSettings settings) {
        this.chunks = chunks;
        this.settings = settings;
        radius = settings.radius(chunks.grid().chunks());
        mostHits = settings.mostHits(chunks.grid().chunks());
    }

    /** Returns the end of the body, where the query begins. */
    int bodyEnd() {
        return settings.queryBegin(chunks.ids().length);
    }

    /** Returns the chunks with n-grams of the query. */
    BitSet direct() {
        int tokens = chunks.ids().length;
        return bodyEnd() == tokens
                ? new BitSet()
                : of(List.of(new TokenRange(bodyEnd(), tokens)), new BitSet());
    }

    /**
     * Returns the chunks with n-grams of some parts of the text, each at few places.
     *
     * @param known chunks whose own n-grams are ignored
     */
    BitSet of(List<TokenRange> parts, BitSet known) {
        NgramSearch search = new NgramSearch(chunks.ids(), settings.ngram());
        parts.forEach(search::add);
        ChunkGrid grid = chunks.grid();
        BitSet found = new BitSet();
        // The first place counts even if the query begins before that n-gram ends.
        int end = Math.max(0, bodyEnd() - settings.ngram()) + 1;
        for (int at : search.find(end, mostHits)) {
            if (!known.get(grid.chunk(at)) && chunks.isFree(at, settings.ngram())) {
                grid.addAround(at, radius, found);
            }
        }
        return found;
    }
}
