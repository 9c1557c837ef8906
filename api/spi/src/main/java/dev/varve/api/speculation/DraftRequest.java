package dev.varve.api.speculation;

import java.util.Objects;

/**
 * A sequence for which draft tokens are requested.
 *
 * @param sequence its number
 * @param tokens prompt and response so far; the last token was sampled and is not computed yet.
 *     Valid during the call
 * @param most maximum useful tokens of a path, at least one
 * @param branched maximum useful tokens of a tree, {@code most} or more, if a tree is requested;
 *     else 0. A speculator without trees may ignore it
 */
public record DraftRequest(long sequence, TokenHistory tokens, int most, int branched) {
    /** Checks that at least one token is requested, and that a tree is no smaller than a path. */
    public DraftRequest {
        Objects.requireNonNull(tokens);
        if (most < 1) {
            throw new IllegalArgumentException("draft length must be positive, got " + most);
        }
        if (branched != 0 && branched < most) {
            throw new IllegalArgumentException(
                    "a tree must have at least the draft length of "
                            + most
                            + " tokens, got "
                            + branched);
        }
    }

    /** Requests a draft without alternatives. */
    public DraftRequest(long sequence, TokenHistory tokens, int most) {
        this(sequence, tokens, most, 0);
    }
}
