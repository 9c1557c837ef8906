package dev.varve.platform.runtime;

import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.RollbackBufferSizes;

import java.util.List;

/**
 * Requirements of speculative decoding on the shards of a model.
 *
 * @param tokens most draft tokens of a sequence in a step, including those of a tree; 0 if it is
 *     off
 * @param captures layers whose input is captured, ascending
 */
public record SpeculationRequirements(int tokens, List<Integer> captures) {
    /** No speculative decoding. */
    public static final SpeculationRequirements NONE = new SpeculationRequirements(0, List.of());

    /** Copies the layers. */
    public SpeculationRequirements {
        captures = List.copyOf(captures);
        if (tokens < 0) {
            throw new IllegalArgumentException("expected 0 or more draft tokens, found " + tokens);
        }
    }

    /**
     * Returns the rollback buffers for the draft tokens of some sequences, for state that cannot be
     * truncated.
     */
    RollbackBufferSizes rollbackBuffers(ModelShape shape, int parallel) {
        return tokens > 0 && shape.forgets()
                ? new RollbackBufferSizes(parallel, 1 + tokens)
                : RollbackBufferSizes.NONE;
    }

    /** Returns the most decode tokens of a sequence in a step. */
    int columns() {
        return 1 + tokens;
    }
}
