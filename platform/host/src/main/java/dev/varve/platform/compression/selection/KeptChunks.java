package dev.varve.platform.compression.selection;

import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Kept chunks, each with the first reason that was given. Only chunks that may be dropped count;
 * never exceeds the limit.
 */
final class KeptChunks {
    private final BitSet droppable;
    private final double[] values;
    private final int most;
    private final BitSet kept = new BitSet();
    private final Map<KeepReason, BitSet> byReason = new EnumMap<>(KeepReason.class);

    /**
     * @param droppable chunks that may be dropped
     * @param values scores of all chunks
     * @param most largest number of kept chunks
     */
    KeptChunks(BitSet droppable, double[] values, int most) {
        this.droppable = droppable;
        this.values = values;
        this.most = most;
    }

    /** Returns the number of kept chunks. */
    int count() {
        return kept.cardinality();
    }

    /** Keeps a chunk, unless it is kept already or the limit is reached. */
    void keep(int chunk, KeepReason reason) {
        if (droppable.get(chunk) && !kept.get(chunk) && count() < most) {
            kept.set(chunk);
            byReason.computeIfAbsent(reason, each -> new BitSet()).set(chunk);
        }
    }

    /** Keeps chunks; if the limit does not allow all of them, those with the best scores. */
    void keepAll(BitSet chunks, KeepReason reason) {
        bestFirst(chunks).forEachOrdered(chunk -> keep(chunk, reason));
    }

    /** Keeps the chunks with the best scores until the given number is kept. */
    void fill(int wanted, KeepReason reason) {
        keepAll(best(wanted - count()), reason);
    }

    /** Returns the chunks with the best scores that are not kept yet; empty for 0 and less. */
    BitSet best(int chunks) {
        BitSet best = new BitSet();
        bestFirst(missing(droppable)).limit(Math.max(0, chunks)).forEach(best::set);
        return best;
    }

    /** Returns those of the given chunks that may be dropped and are not kept yet. */
    BitSet missing(BitSet chunks) {
        BitSet missing = (BitSet) droppable.clone();
        missing.and(chunks);
        missing.andNot(kept);
        return missing;
    }

    /**
     * Orders chunks by score, best first; the sort is stable, so equal scores stay in ascending
     * order.
     */
    private IntStream bestFirst(BitSet chunks) {
        return chunks.stream()
                .boxed()
                .sorted(Comparator.comparingDouble((Integer chunk) -> values[chunk]).reversed())
                .mapToInt(Integer::intValue);
    }

    /** Marks the tokens of the kept chunks. */
    void mark(ChunkGrid grid, TokenKeepReasons tokens) {
        byReason.forEach(
                (reason, chunks) ->
                        chunks.stream().forEach(chunk -> tokens.keep(grid.range(chunk), reason)));
    }
}
