package dev.varve.platform.runtime;

import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.Stashes;

import java.util.List;

/**
 * What the shards of a model must offer to whoever guesses its tokens.
 *
 * @param tokens most guesses of a sequence in a step, those of a tree included; 0 where nothing is
 *     guessed
 * @param captures layers whose input is to be seen, ascending
 */
public record DraftRoom(int tokens, List<Integer> captures) {
    /** Nothing is guessed. */
    public static final DraftRoom NONE = new DraftRoom(0, List.of());

    /** Copies the layers. */
    public DraftRoom {
        captures = List.copyOf(captures);
        if (tokens < 0) {
            throw new IllegalArgumentException("drafts of " + tokens + " tokens");
        }
    }

    /** Room for the guesses of some sequences, where state cannot be cut back. */
    Stashes stashes(ModelShape shape, int parallel) {
        return tokens > 0 && shape.forgets() ? new Stashes(parallel, 1 + tokens) : Stashes.NONE;
    }

    /** Tokens of decode that a sequence may have in a step. */
    int columns() {
        return 1 + tokens;
    }
}
