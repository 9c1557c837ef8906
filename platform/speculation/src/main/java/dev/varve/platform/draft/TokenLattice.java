package dev.varve.platform.draft;

import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The likeliest tokens of each slot, and how well they follow one another; trees are built from
 * them. Slot after slot, and within a slot sequence after sequence.
 *
 * @param layout layout of the slots
 * @param candidates rows of the head, {@code I32 [n, slots * sequences]}, in any order
 * @param shares of these rows in each slot by itself, {@code F32 [1, n, slots * sequences]}: those
 *     of all rows add up to 1
 * @param links per slot the terms added to the logarithms of shares after each candidate of the
 *     slot before, {@code F32 [n, n, sequences]}, after the known token {@code F32 [n, 1,
 *     sequences]}; none if slots do not depend on one another
 */
record TokenLattice(
        PositionMajorLayout layout, Tensor candidates, Tensor shares, List<Tensor> links) {
    /** Number of candidates of a slot if the network does not define it. */
    static final int MOST = 64;

    /** Number of candidates from which trees are built. */
    static final int RANKS = 8;

    private static final int TENSORS = 16;
    private static final int TENSORS_PER_SLOT = 20;

    static int tensors(int slots) {
        return TENSORS + slots * TENSORS_PER_SLOT;
    }

    /**
     * Some rows of each slot.
     *
     * @param logits of all rows, {@code F32 [rows, slots * sequences]}
     * @param candidates as in {@link TokenLattice}
     * @param own their logits, {@code F32 [1, n, slots * sequences]}
     */
    record TopCandidates(Tensor logits, Tensor candidates, Tensor own) {
        /** Chooses the rows with the largest logits. */
        static TopCandidates of(PositionMajorLayout layout, Tensor logits, int count) {
            Tensor candidates = layout.ops().topK(logits, count);
            return new TopCandidates(logits, candidates, at(layout.ops(), logits, candidates));
        }
    }

    /** Elements of columns at some rows, {@code [rows, columns] -> [1, n, columns]}. */
    private static Tensor at(Ops ops, Tensor all, Tensor rows) {
        return ops.getRows(ops.reshape3d(all, 1, all.ne(0), all.ne(1)), rows);
    }

    /** Creates the lattice of slots that do not depend on one another. */
    static TokenLattice of(PositionMajorLayout layout, Tensor logits) {
        int count = (int) Math.min(RANKS, logits.ne(0));
        return of(layout, logits, layout.ops().topK(logits, count));
    }

    static TokenLattice of(PositionMajorLayout layout, TopCandidates choice) {
        return of(layout, choice.logits(), choice.candidates());
    }

    private static TokenLattice of(PositionMajorLayout layout, Tensor logits, Tensor candidates) {
        Ops ops = layout.ops();
        Tensor shares = at(ops, ops.softMax(logits), candidates);
        return new TokenLattice(layout, candidates, shares, List.of());
    }

    /**
     * Creates a lattice of the likeliest tokens of each slot by itself, and the decoded ones.
     *
     * @param walked decoded rows, {@code I32 [slots * sequences]}
     */
    static TokenLattice with(PositionMajorLayout layout, Tensor logits, Tensor walked) {
        Ops ops = layout.ops();
        int count = (int) Math.min(MOST, logits.ne(0));
        Tensor candidates =
                ops.concat(ops.topK(logits, count), ops.reshape2d(walked, 1, walked.elements()), 0);
        return of(layout, logits, candidates);
    }

    /**
     * Returns the lattice with transitions between slots.
     *
     * @param known tokens before the blocks, {@code I32 [sequences]}
     * @param targets maps rows of the head to tokens of the target
     */
    TokenLattice linked(Tensor known, UnaryOperator<Tensor> targets, TokenTransitions between) {
        List<Tensor> all = new ArrayList<>();
        Tensor before = known;
        int befores = 1;
        for (int slot = 0; slot < layout.count(); slot++) {
            Tensor rows = layout.ids(candidates, slot);
            all.add(between.between(slot, before, befores, rows));
            before = targets.apply(rows);
            befores = (int) candidates.ne(0);
        }
        return new TokenLattice(layout, candidates, shares, all);
    }

    /** Adds the lattice to the outputs of a graph. */
    void expand(Graph graph) {
        graph.expand(candidates.markOutput());
        graph.expand(shares.markOutput());
        links.forEach(link -> graph.expand(link.markOutput()));
    }

    /** Reads the computed candidates of a sequence. */
    BlockCandidates read(int sequence) {
        int count = (int) candidates.ne(0);
        int[][] rows = new int[layout.count()][count];
        float[][] chances = new float[layout.count()][count];
        List<float[]> behind = new ArrayList<>();
        for (int slot = 0; slot < layout.count(); slot++) {
            long column = (long) slot * layout.sequences() + sequence;
            candidates.read(rows[slot], 0, count, column * count);
            shares.read(chances[slot], 0, count, column * count);
            if (!links.isEmpty()) {
                Tensor link = links.get(slot);
                float[] values = new float[(int) (link.ne(0) * link.ne(1))];
                link.read(values, 0, values.length, (long) sequence * values.length);
                behind.add(values);
            }
        }
        return new BlockCandidates(
                rows, chances, links.isEmpty() ? Optional.empty() : Optional.of(behind));
    }
}
