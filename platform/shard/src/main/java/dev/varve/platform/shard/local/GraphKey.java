package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.SequenceChunk;

import java.util.ArrayList;
import java.util.List;

/**
 * What a recorded graph depends on. A batch with an equal key only changes input values: the graph
 * computes it without being recorded again. Slots and state rows are part of the key because
 * attention and recurrent operators read them through views at fixed offsets, which avoids a gather
 * per step.
 */
record GraphKey(Phase phase, List<Part> parts, List<Integer> captures) {
    /** A step of decode without captures. */
    GraphKey(List<Part> parts) {
        this(Phase.DECODE, parts, List.of());
    }

    /**
     * The shape of one slice.
     *
     * @param full what full attention reads
     * @param window what sliding attention reads
     * @param states where recurrent state is
     */
    record Part(Columns columns, Attended full, Attended window, StateUse states) {
        int tokens() {
            return columns.tokens();
        }

        int outputs() {
            return columns.outputs();
        }

        boolean rows() {
            return columns.rows();
        }
    }

    /**
     * Columns of a slice.
     *
     * @param outputs how many of them have outputs that are wanted, the last ones
     * @param kind what they are computed as, see {@link BatchInvariance}
     */
    record Columns(int tokens, int outputs, ChunkComputeMode kind) {
        boolean rows() {
            return kind == ChunkComputeMode.ROWS;
        }
    }

    /**
     * K and V rows that are read.
     *
     * @param slot the first
     * @param slots how many
     * @param byHeads whether attention of a single token goes head by head, see {@link
     *     AttentionBlock}
     */
    record Attended(int slot, int slots, boolean byHeads) {}

    /**
     * State rows before and after a slice.
     *
     * @param stash see {@link ChunkPlacement#stash}
     * @param branching whether tokens branch
     */
    record StateUse(int readRow, int writeRow, int stash, TreeTopology branching) {
        StateUse(int readRow, int writeRow, int stash) {
            this(readRow, writeRow, stash, TreeTopology.NONE);
        }

        boolean isDrafted() {
            return stash != ChunkPlacement.NO_STASH;
        }
    }

    /**
     * The key of a batch.
     *
     * @param trees how recurrent states take in trees
     */
    static GraphKey of(PlacedBatch placed, TreeTopology.StoredPrefix trees) {
        List<SequenceChunk> slices = placed.batch().slices();
        Phase phase = placed.batch().phase();
        List<Part> parts = new ArrayList<>(slices.size());
        for (int i = 0; i < slices.size(); i++) {
            SequenceChunk slice = slices.get(i);
            KvView full = placed.full().get(i);
            KvView window = placed.window().get(i);
            int tokens = slice.tokens().length;
            TreeTopology branching = TreeTopology.of(slice.tree(), trees);
            if (branching.branches() && !slice.place().isDrafted()) {
                // Nobody knows which of its tokens the states should take in.
                throw new IllegalArgumentException("a tree without a stash");
            }
            parts.add(
                    new Part(
                            new Columns(tokens, slice.outputCount(), kind(slice, phase)),
                            new Attended(full.slot(), full.slots(), false),
                            new Attended(
                                    window.slot(),
                                    window.slots(),
                                    window.position() > 0 && tokens == 1),
                            new StateUse(
                                    slice.readRow(),
                                    slice.writeRow(),
                                    slice.place().stash(),
                                    branching)));
        }
        return new GraphKey(phase, List.copyOf(parts), placed.batch().captures());
    }

    private static ChunkComputeMode kind(SequenceChunk slice, Phase phase) {
        return phase == Phase.DECODE || slice.tokens().length == 1
                ? ChunkComputeMode.ROWS
                : slice.kind();
    }

    int tokens() {
        int tokens = 0;
        for (Part part : parts) {
            tokens += part.tokens();
        }
        return tokens;
    }

    int outputs() {
        int outputs = 0;
        for (Part part : parts) {
            outputs += part.outputs();
        }
        return outputs;
    }
}
