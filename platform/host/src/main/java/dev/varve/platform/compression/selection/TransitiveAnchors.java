package dev.varve.platform.compression.selection;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Follows anchors: what a text's end asks for may stand where only another place points to. From
 * the chunks of anchors on, words and rare tokens lead to further chunks, and from those on.
 *
 * <p>A chunk's own words do not lead to its neighbours, however far anchors reach: else each round
 * would add all neighbours of what is there, and go through the whole text.
 */
final class TransitiveAnchors {
    private final TextChunks chunks;
    private final AnchorSearch anchors;
    private final TransitiveSettings settings;
    private final TokenOccurrences occurrences;

    TransitiveAnchors(TextChunks chunks, AnchorSearch anchors, TransitiveSettings settings) {
        this.chunks = chunks;
        this.anchors = anchors;
        this.settings = settings;
        occurrences = new TokenOccurrences(chunks.ids(), anchors.bodyEnd());
    }

    /**
     * Adds chunks to those of anchors. A round with which they would be too many is undone, and is
     * the last one.
     *
     * @param direct chunks of anchors, which all stay
     * @param most chunks of both kinds
     */
    BitSet expand(BitSet direct, int most) {
        BitSet all = copy(direct);
        BitSet fresh = isEnough(direct) ? new BitSet() : copy(direct);
        for (int round = 0; round < settings.rounds() && !fresh.isEmpty(); round++) {
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

    private boolean isEnough(BitSet direct) {
        return settings.enoughChunks() > 0 && direct.cardinality() >= settings.enoughChunks();
    }

    /** Adds the chunks to which rare tokens lead from some chunks, over as many as it takes. */
    private void followRareTokens(BitSet from, BitSet found) {
        BitSet open = copy(from);
        while (!open.isEmpty() && settings.rareTokens() > 0) {
            int chunk = open.nextSetBit(0);
            open.clear(chunk);
            TokenRange range = chunks.grid().range(chunk);
            int end = Math.min(range.end(), anchors.bodyEnd());
            for (int at = range.begin(); at < end; at++) {
                if (occurrences.count(chunks.ids()[at]) <= settings.rareTokens()) {
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

    /** The parts of the body that some chunks cover. */
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
