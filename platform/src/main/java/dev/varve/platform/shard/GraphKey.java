package dev.varve.platform.shard;

import java.util.ArrayList;
import java.util.List;

/**
 * What a recorded graph depends on. A batch with an equal key only changes input values: the graph
 * computes it without being recorded again. Slots and state rows are part of the key because
 * attention and recurrent operators read them through views at fixed offsets, which avoids a gather
 * per step.
 */
record GraphKey(List<Part> parts) {
    /** The shape of one slice. */
    record Part(
            int tokens, int firstSlot, int attendedSlots, int readRow, int writeRow, int outputs) {}

    static GraphKey of(Batch batch) {
        List<Part> parts = new ArrayList<>(batch.slices().size());
        for (Slice slice : batch.slices()) {
            parts.add(
                    new Part(
                            slice.tokens().length,
                            slice.slots().begin(),
                            slice.attendedSlots(),
                            slice.readRow(),
                            slice.writeRow(),
                            slice.outputCount()));
        }
        return new GraphKey(List.copyOf(parts));
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
