package dev.varve.platform.runtime;

import dev.varve.platform.setting.Setting;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * Number and length of sequences.
 *
 * @param contextTokens most tokens of one sequence, prompt and output together; empty: the model's
 *     own limit, at most {@value #DEFAULT_CONTEXT}
 * @param parallel most sequences that are decoded together
 * @param kvTokens tokens of the KV cache that all sequences share; empty: {@code parallel} whole
 *     contexts, or pools if they are bounded, or as much of that as the memory holds
 */
public record SequenceLimits(OptionalInt contextTokens, int parallel, OptionalInt kvTokens) {
    /** Default context of one sequence: room for long chats at a moderate memory cost. */
    public static final int DEFAULT_CONTEXT = 8192;

    /** Default number of sequences that are decoded together. */
    public static final int DEFAULT_PARALLEL = 4;

    private static final int MOST_PARALLEL = 256;

    /** Checks the number of sequences; the model checks the others. */
    public SequenceLimits {
        Objects.requireNonNull(contextTokens);
        Objects.requireNonNull(kvTokens);
        if (parallel < 1 || parallel > MOST_PARALLEL) {
            throw new IllegalArgumentException(
                    Setting.PARALLEL + ": expected 1 to " + MOST_PARALLEL + ", found " + parallel);
        }
    }

    /** Creates limits for some sequences of the default length. */
    public static SequenceLimits parallel(int parallel) {
        return new SequenceLimits(OptionalInt.empty(), parallel, OptionalInt.empty());
    }

    /** Creates limits for some sequences of a given length. */
    public static SequenceLimits of(int contextTokens, int parallel) {
        return new SequenceLimits(OptionalInt.of(contextTokens), parallel, OptionalInt.empty());
    }

    /** Returns a copy with a KV pool of some tokens. */
    public SequenceLimits withKvTokens(int tokens) {
        return new SequenceLimits(contextTokens, parallel, OptionalInt.of(tokens));
    }
}
