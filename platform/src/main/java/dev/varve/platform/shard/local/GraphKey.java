package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.ExactRows;
import dev.varve.platform.shard.Slice;

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
     * @param slot first slot of full attention, and how many are read
     * @param windowSlot first slot of sliding attention, and how many are read
     * @param rows whether its tokens are rows or a chunk, see {@link ExactRows}
     * @param byHeads whether sliding attention of a single token goes head by head, see {@link
     *     AttentionBlock}
     */
    record Part(
            int tokens,
            boolean rows,
            int slot,
            int slots,
            int windowSlot,
            int windowSlots,
            boolean byHeads,
            int readRow,
            int writeRow,
            int outputs) {}

    static GraphKey of(PlacedBatch placed) {
        List<Slice> slices = placed.batch().slices();
        Phase phase = placed.batch().phase();
        List<Part> parts = new ArrayList<>(slices.size());
        for (int i = 0; i < slices.size(); i++) {
            Slice slice = slices.get(i);
            KvView full = placed.full().get(i);
            KvView window = placed.window().get(i);
            parts.add(
                    new Part(
                            slice.tokens().length,
                            phase == Phase.DECODE || slice.tokens().length == 1,
                            full.slot(),
                            full.slots(),
                            window.slot(),
                            window.slots(),
                            window.position() > 0 && slice.tokens().length == 1,
                            slice.readRow(),
                            slice.writeRow(),
                            slice.outputCount()));
        }
        return new GraphKey(phase, List.copyOf(parts), placed.batch().captures());
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
