package dev.varve.platform.compression.selection;

import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The chunks that stay, each for the first reason that was given. Only chunks that may be left out
 * count; never more stay than may.
 */
final class KeptChunks {
    private final BitSet droppable;
    private final double[] values;
    private final int most;
    private final BitSet kept = new BitSet();
    private final Map<KeepReason, BitSet> byReason = new EnumMap<>(KeepReason.class);

    /**
     * @param droppable chunks that may be left out
     * @param values of all chunks
     * @param most chunks that may stay
     */
    KeptChunks(BitSet droppable, double[] values, int most) {
        this.droppable = droppable;
        this.values = values;
        this.most = most;
    }

    /** Chunks that stay so far. */
    int count() {
        return kept.cardinality();
    }

    /** Keeps a chunk, if it is not kept yet and one more may be. */
    void keep(int chunk, KeepReason reason) {
        if (droppable.get(chunk) && !kept.get(chunk) && count() < most) {
            kept.set(chunk);
            byReason.computeIfAbsent(reason, each -> new BitSet()).set(chunk);
        }
    }

    /** Keeps chunks; where not all may stay, those with the best values. */
    void keepAll(BitSet chunks, KeepReason reason) {
        bestFirst(chunks).forEachOrdered(chunk -> keep(chunk, reason));
    }

    /** Keeps the chunks with the best values until so many stay. */
    void fill(int wanted, KeepReason reason) {
        keepAll(best(wanted - count()), reason);
    }

    /** Those with the best values of the chunks that do not stay yet, or none for 0 and less. */
    BitSet best(int chunks) {
        BitSet best = new BitSet();
        bestFirst(missing(droppable)).limit(Math.max(0, chunks)).forEach(best::set);
        return best;
    }

    /** Those of some chunks that may be left out, and do not stay yet. */
    BitSet missing(BitSet chunks) {
        BitSet missing = (BitSet) droppable.clone();
        missing.and(chunks);
        missing.andNot(kept);
        return missing;
    }

    /** The best value first, and of equal ones the lower number, since the sort is stable. */
    private IntStream bestFirst(BitSet chunks) {
        return chunks.stream()
                .boxed()
                .sorted(Comparator.comparingDouble((Integer chunk) -> values[chunk]).reversed())
                .mapToInt(Integer::intValue);
    }

    /** Marks the tokens of the chunks that stay. */
    void mark(ChunkGrid grid, TokenKeepReasons tokens) {
        byReason.forEach(
                (reason, chunks) ->
                        chunks.stream().forEach(chunk -> tokens.keep(grid.range(chunk), reason)));
    }
}
