package dev.varve.platform.runtime;

import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.RollbackBuffers;

import java.util.List;

/**
 * What the shards of a model must offer to whoever guesses its tokens.
 *
 * @param tokens most guesses of a sequence in a step, those of a tree included; 0 where nothing is
 *     guessed
 * @param captures layers whose input is to be seen, ascending
 */
public record SpeculationRequirements(int tokens, List<Integer> captures) {
    /** Nothing is guessed. */
    public static final SpeculationRequirements NONE = new SpeculationRequirements(0, List.of());

    /** Copies the layers. */
    public SpeculationRequirements {
        captures = List.copyOf(captures);
        if (tokens < 0) {
            throw new IllegalArgumentException("drafts of " + tokens + " tokens");
        }
    }

    /** Room for the guesses of some sequences, where state cannot be cut back. */
    RollbackBuffers stashes(ModelShape shape, int parallel) {
        return tokens > 0 && shape.forgets()
                ? new RollbackBuffers(parallel, 1 + tokens)
                : RollbackBuffers.NONE;
    }

    /** Tokens of decode that a sequence may have in a step. */
    int columns() {
        return 1 + tokens;
    }
}
