package dev.varve.platform.compression.selection;

import java.util.Objects;

/** Tokens that are kept for one reason. */
public record KeptRange(TokenRange tokens, KeepReason reason) {
    /** Rejects null. */
    public KeptRange {
        Objects.requireNonNull(tokens);
        Objects.requireNonNull(reason);
    }
}
