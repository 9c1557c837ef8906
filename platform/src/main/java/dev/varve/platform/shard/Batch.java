package dev.varve.platform.shard;

import dev.varve.api.backend.ComputeDevice.Phase;

import java.util.List;

/**
 * One step of all shards: tokens of one or several sequences, each at most once.
 *
 * @param slices in the order of the tokens' columns
 * @param phase which thread count the device uses
 */
public record Batch(List<Slice> slices, Phase phase) {
    public Batch {
        slices = List.copyOf(slices);
        if (slices.isEmpty()) {
            throw new IllegalArgumentException("a batch needs at least one slice");
        }
    }

    /** Tokens of all slices. */
    public int tokens() {
        int tokens = 0;
        for (Slice slice : slices) {
            tokens += slice.tokens().length;
        }
        return tokens;
    }

    /** Rows of logits of all slices, in their order. */
    public int outputs() {
        int outputs = 0;
        for (Slice slice : slices) {
            outputs += slice.outputCount();
        }
        return outputs;
    }
}
