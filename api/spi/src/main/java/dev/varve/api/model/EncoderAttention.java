package dev.varve.api.model;

import java.util.OptionalInt;

/**
 * Visibility and treatment of scores of an encoder's attention.
 *
 * @param scale factor of the scores, usually {@code 1 / sqrt(keyLength)}
 * @param reach greatest distance of positions that see each other; empty for no limit
 * @param maxBias largest slope of ALiBi, which subtracts a slope per head times the distance of the
 *     positions; 0 for none
 */
public record EncoderAttention(float scale, OptionalInt reach, float maxBias) {
    /** All tokens of a text see each other. */
    public static EncoderAttention full(float scale) {
        return new EncoderAttention(scale, OptionalInt.empty(), 0);
    }

    /**
     * Returns a copy with a symmetric window.
     *
     * @param window twice the greatest distance, rounded down, of positions that see each other
     */
    public EncoderAttention within(int window) {
        return new EncoderAttention(scale, OptionalInt.of(window / 2), maxBias);
    }

    /** Returns a copy with ALiBi. */
    public EncoderAttention withMaxBias(float bias) {
        return new EncoderAttention(scale, reach, bias);
    }
}
