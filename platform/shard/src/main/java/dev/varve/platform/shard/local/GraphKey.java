package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.TopTokens;

import java.util.ArrayList;
import java.util.List;

/**
 * Key by which recorded graphs are reused. A batch with an equal key only changes input values: the
 * graph computes it without a new recording. Slots and state rows are part of the key because
 * attention and recurrent operators read them through views at fixed offsets, which avoids a gather
 * per step.
 *
 * @param images number of columns that belong to images
 * @param adapters numbers of the adapters that change a token of the batch; their scales are inputs
 * @param top whether the device finds the {@link TopTokens} of each row of logits
 */
record GraphKey(
        Phase phase,
        List<ChunkShape> parts,
        List<Integer> captures,
        int images,
        List<Integer> adapters,
        boolean top) {
    /** Creates the key of a batch without images that requests no {@link TopTokens}. */
    GraphKey(Phase phase, List<ChunkShape> parts, List<Integer> captures) {
        this(phase, parts, captures, 0, List.of(), false);
    }

    /** Creates the key of a decode step without captures. */
    GraphKey(List<ChunkShape> parts) {
        this(Phase.DECODE, parts, List.of());
    }

    /**
     * Shape of one chunk.
     *
     * @param full rows that full attention reads
     * @param window rows that sliding attention reads
     * @param states state rows of recurrent layers
     */
    record ChunkShape(Columns columns, Attended full, Attended window, StateUse states) {
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
     * Columns of a chunk.
     *
     * @param outputs number of columns at the end whose outputs are requested
     * @param kind how they are computed, see {@link BatchInvariance}
     */
    record Columns(int tokens, int outputs, ChunkComputeMode kind) {
        boolean rows() {
            return kind == ChunkComputeMode.ROWS;
        }
    }

    /**
     * K and V rows that attention reads.
     *
     * @param slot first slot
     * @param slots number of slots
     * @param byHeads whether attention of a single token is computed head by head, see {@link
     *     AttentionBlock}
     */
    record Attended(int slot, int slots, boolean byHeads) {}

    /**
     * State rows before and after a chunk.
     *
     * @param rollbackBuffer see {@link ChunkPlacement#rollbackBuffer}
     * @param branching whether tokens branch
     */
    record StateUse(int readRow, int writeRow, int rollbackBuffer, TreeEncoding branching) {
        StateUse(int readRow, int writeRow, int rollbackBuffer) {
            this(readRow, writeRow, rollbackBuffer, TreeEncoding.NONE);
        }

        boolean isDrafted() {
            return rollbackBuffer != ChunkPlacement.NO_ROLLBACK_BUFFER;
        }
    }

    /**
     * Returns the key of a batch.
     *
     * @param trees how recurrent states process trees
     */
    static GraphKey of(PlacedBatch placed, TreeEncoding.TreeMode trees) {
        List<SequenceChunk> chunks = placed.batch().chunks();
        Phase phase = placed.batch().phase();
        List<ChunkShape> parts = new ArrayList<>(chunks.size());
        for (int i = 0; i < chunks.size(); i++) {
            SequenceChunk chunk = chunks.get(i);
            AttendedKvRange full = placed.full().get(i);
            AttendedKvRange window = placed.window().get(i);
            int tokens = chunk.tokens().length;
            TreeEncoding branching = TreeEncoding.of(chunk.tree(), trees);
            if (branching.branches() && !chunk.place().isDrafted()) {
                // Without a rollback buffer no commit could select the tokens for the states.
                throw new IllegalArgumentException("a token tree needs a rollback buffer");
            }
            parts.add(
                    new ChunkShape(
                            new Columns(tokens, chunk.outputCount(), kind(chunk, phase)),
                            new Attended(full.slot(), full.slots(), false),
                            new Attended(
                                    window.slot(),
                                    window.slots(),
                                    window.position() > 0 && tokens == 1),
                            new StateUse(
                                    chunk.readRow(),
                                    chunk.writeRow(),
                                    chunk.place().rollbackBuffer(),
                                    branching)));
        }
        return new GraphKey(
                phase,
                List.copyOf(parts),
                placed.batch().captures(),
                placed.batch().imageTokens(),
                List.of(),
                false);
    }

    private static ChunkComputeMode kind(SequenceChunk chunk, Phase phase) {
        return phase == Phase.DECODE || chunk.tokens().length == 1
                ? ChunkComputeMode.ROWS
                : chunk.kind();
    }

    /** Returns the key of the same batch with the adapters that change it. */
    GraphKey adapting(List<Integer> others) {
        return others.isEmpty() && adapters.isEmpty()
                ? this
                : new GraphKey(phase, parts, captures, images, List.copyOf(others), top);
    }

    /** Returns the key of the same batch with {@link TopTokens}. */
    GraphKey withTop() {
        return new GraphKey(phase, parts, captures, images, adapters, true);
    }

    int tokens() {
        int tokens = 0;
        for (ChunkShape part : parts) {
            tokens += part.tokens();
        }
        return tokens;
    }

    int outputs() {
        int outputs = 0;
        for (ChunkShape part : parts) {
            outputs += part.outputs();
        }
        return outputs;
    }
}
