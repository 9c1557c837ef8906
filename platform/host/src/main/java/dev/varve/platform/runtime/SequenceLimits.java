package dev.varve.platform.runtime;

import dev.varve.platform.setting.Setting;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * How many sequences there may be at a time, and how long they may get.
 *
 * @param contextTokens most tokens of one sequence, prompt and output together; empty: the model's
 *     own limit, at most {@value #DEFAULT_CONTEXT}
 * @param parallel most sequences decoded together
 * @param kvTokens tokens of the KV cache that all sequences share; empty: {@code parallel} whole
 *     contexts, or pools where they are bounded, or as much of that as the memory holds
 */
public record SequenceLimits(OptionalInt contextTokens, int parallel, OptionalInt kvTokens) {
    /**
     * Context of one sequence where nobody asked for another: room for long chats at a modest
     * price.
     */
    public static final int DEFAULT_CONTEXT = 8192;

    /** Most sequences decoded together where nobody asked for another number. */
    public static final int DEFAULT_PARALLEL = 4;

    private static final int MOST_PARALLEL = 256;

    /** Checks the number of sequences; the model decides about the others. */
    public SequenceLimits {
        Objects.requireNonNull(contextTokens);
        Objects.requireNonNull(kvTokens);
        if (parallel < 1 || parallel > MOST_PARALLEL) {
            throw new IllegalArgumentException(
                    Setting.PARALLEL + ": expected 1 to " + MOST_PARALLEL + ", found " + parallel);
        }
    }

    /** Some sequences of the usual length. */
    public static SequenceLimits parallel(int parallel) {
        return new SequenceLimits(OptionalInt.empty(), parallel, OptionalInt.empty());
    }

    /** Some sequences of a length. */
    public static SequenceLimits of(int contextTokens, int parallel) {
        return new SequenceLimits(OptionalInt.of(contextTokens), parallel, OptionalInt.empty());
    }

    /** The same with a KV pool of some tokens. */
    public SequenceLimits withKvTokens(int tokens) {
        return new SequenceLimits(contextTokens, parallel, OptionalInt.of(tokens));
    }
}
