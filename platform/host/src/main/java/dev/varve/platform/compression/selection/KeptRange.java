package dev.varve.platform.compression.selection;

import java.util.Objects;

/** Tokens that stay for one reason. */
public record KeptRange(TokenRange tokens, KeepReason reason) {
    /** Refuses null. */
    public KeptRange {
        Objects.requireNonNull(tokens);
        Objects.requireNonNull(reason);
    }
}
