package dev.varve.api.speculation;

import java.util.Objects;

/**
 * A sequence whose next tokens are to be guessed.
 *
 * @param sequence its number
 * @param tokens prompt and answer so far; the last one was chosen and is not computed yet. Valid
 *     during the call
 * @param most tokens that can be of use, at least one
 */
public record DraftRequest(long sequence, TokenHistory tokens, int most) {
    /** Checks that something is asked for. */
    public DraftRequest {
        Objects.requireNonNull(tokens);
        if (most < 1) {
            throw new IllegalArgumentException("draft of " + most + " tokens");
        }
    }
}
