package dev.varve.platform.compression.selection;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Follows anchors transitively: the answer to a text's end may be at a place that only another
 * place refers to. N-grams and rare tokens of anchor chunks lead to further chunks, and these to
 * more.
 *
 * <p>A chunk's own n-grams do not lead to its neighbours, however far anchors reach: otherwise each
 * round would add all neighbours of the found chunks, and spread over the whole text.
 */
final class TransitiveAnchors {
    private final ChunkedText chunks;
    private final AnchorSearch anchors;
    private final int rareTokens;
    private final int rounds;
    private final TokenOccurrences occurrences;

    /**
     * @param rareTokens largest number of occurrences of a token that leads on
     * @param rounds most rounds
     */
    TransitiveAnchors(ChunkedText chunks, AnchorSearch anchors, int rareTokens, int rounds) {
        this.chunks = chunks;
        this.anchors = anchors;
        this.rareTokens = rareTokens;
        this.rounds = rounds;
        occurrences = new TokenOccurrences(chunks.ids(), anchors.bodyEnd());
    }

    /**
     * Adds chunks to those of anchors. A round that exceeds the limit is undone, and ends the
     * search.
     *
     * @param direct chunks of anchors, which are all kept
     * @param most largest number of chunks of both kinds
     */
    BitSet expand(BitSet direct, int most) {
        BitSet all = copy(direct);
        BitSet fresh = copy(direct);
        for (int round = 0; round < rounds && !fresh.isEmpty(); round++) {
            BitSet next = copy(all);
            next.or(fresh);
            followRareTokens(fresh, next);
            fresh = copy(next);
            next.or(anchors.of(bodyRanges(fresh), next));
            if (next.cardinality() > most) {
                return all;
            }
            fresh = copy(next);
            fresh.andNot(all);
            all = next;
        }
        return all;
    }

    /** Adds the chunks that share rare tokens with the given chunks, transitively. */
    private void followRareTokens(BitSet from, BitSet found) {
        BitSet open = copy(from);
        while (!open.isEmpty()) {
            int chunk = open.nextSetBit(0);
            open.clear(chunk);
            TokenRange range = chunks.grid().range(chunk);
            int end = Math.min(range.end(), anchors.bodyEnd());
            for (int at = range.begin(); at < end; at++) {
                if (occurrences.count(chunks.ids()[at]) <= rareTokens) {
                    BitSet reached = chunksWith(chunks.ids()[at]);
                    reached.andNot(found);
                    found.or(reached);
                    open.or(reached);
                }
            }
        }
    }

    private BitSet chunksWith(int id) {
        BitSet reached = new BitSet();
        for (int at : occurrences.of(id)) {
            if (chunks.isFree(at, 1)) {
                reached.set(chunks.grid().chunk(at));
            }
        }
        return reached;
    }

    /** Returns the parts of the body that some chunks cover. */
    private List<TokenRange> bodyRanges(BitSet some) {
        List<TokenRange> ranges = new ArrayList<>();
        int first = some.nextSetBit(0);
        while (first >= 0) {
            int last = some.nextClearBit(first) - 1;
            int begin = chunks.grid().range(first).begin();
            int end = Math.min(chunks.grid().range(last).end(), anchors.bodyEnd());
            if (begin < end) {
                ranges.add(new TokenRange(begin, end));
            }
            first = some.nextSetBit(last + 1);
        }
        return ranges;
    }

    private static BitSet copy(BitSet chunks) {
        return (BitSet) chunks.clone();
    }
}
