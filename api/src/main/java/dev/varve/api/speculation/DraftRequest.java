package dev.varve.api.speculation;

import java.util.Objects;

/**
 * A sequence whose next tokens are to be guessed.
 *
 * @param sequence its number
 * @param tokens prompt and answer so far; the last one was chosen and is not computed yet. Valid
 *     during the call
 * @param most tokens one after the other that can be of use, at least one
 * @param branched tokens of a tree that can be of use, {@code most} or more, where one is wanted; 0
 *     where it is not. Who guesses none may ignore it
 */
public record DraftRequest(long sequence, TokenHistory tokens, int most, int branched) {
    /** Checks that something is asked for. */
    public DraftRequest {
        Objects.requireNonNull(tokens);
        if (most < 1) {
            throw new IllegalArgumentException("draft of " + most + " tokens");
        }
        if (branched != 0 && branched < most) {
            throw new IllegalArgumentException(
                    "tree of " + branched + " tokens, up to " + most + " one after the other");
        }
    }

    /** Tokens one after the other are wanted. */
    public DraftRequest(long sequence, TokenHistory tokens, int most) {
        this(sequence, tokens, most, 0);
    }
}
