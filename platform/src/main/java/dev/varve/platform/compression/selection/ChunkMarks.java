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
final class ChunkMarks {
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
    ChunkMarks(BitSet droppable, double[] values, int most) {
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
        BitSet rest = (BitSet) droppable.clone();
        rest.andNot(kept);
        bestFirst(rest)
                .limit(Math.max(0, wanted - count()))
                .forEachOrdered(chunk -> keep(chunk, reason));
    }

    /** The best value first, and of equal ones the lower number, since the sort is stable. */
    private IntStream bestFirst(BitSet chunks) {
        return chunks.stream()
                .boxed()
                .sorted(Comparator.comparingDouble((Integer chunk) -> values[chunk]).reversed())
                .mapToInt(Integer::intValue);
    }

    /** Marks the tokens of the chunks that stay. */
    void mark(ChunkGrid grid, TokenMarks tokens) {
        byReason.forEach(
                (reason, chunks) ->
                        chunks.stream().forEach(chunk -> tokens.keep(grid.range(chunk), reason)));
    }
}
