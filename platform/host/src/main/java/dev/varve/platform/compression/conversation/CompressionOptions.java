package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.CompressionPolicy;
import dev.varve.platform.compression.KeepCurve;
import dev.varve.platform.compression.MessageCompressionSettings;
import dev.varve.platform.compression.selection.SelectionSettings;

import java.util.Objects;

/**
 * How conversations are compressed.
 *
 * @param policy which of them
 * @param keep how much stays, by the prompt's length in tokens of the model
 * @param selection what stays
 * @param flow which messages shrink where they do so one by one
 * @param memoryBytes of what messages have become
 * @param adaptive whether how much stays follows how often guesses in a conversation's answers were
 *     right, for requests that name their conversation
 */
public record CompressionOptions(
        CompressionPolicy policy,
        KeepCurve keep,
        SelectionSettings selection,
        MessageCompressionSettings flow,
        long memoryBytes,
        boolean adaptive) {
    /** Memory for what messages have become. */
    public static final long USUAL_MEMORY = 64L << 20;

    /** Checks that nothing is missing. */
    public CompressionOptions {
        Objects.requireNonNull(policy);
        Objects.requireNonNull(keep);
        Objects.requireNonNull(selection);
        Objects.requireNonNull(flow);
    }

    /** Everything but the policy as usual. */
    public static CompressionOptions of(CompressionPolicy policy) {
        return new CompressionOptions(
                policy,
                KeepCurve.USUAL,
                SelectionSettings.USUAL,
                MessageCompressionSettings.USUAL,
                USUAL_MEMORY,
                false);
    }

    /** The same with other parts that stay. */
    public CompressionOptions with(KeepCurve other) {
        return new CompressionOptions(policy, other, selection, flow, memoryBytes, adaptive);
    }

    /** The same with messages of other lengths. */
    public CompressionOptions with(MessageCompressionSettings other) {
        return new CompressionOptions(policy, keep, selection, other, memoryBytes, adaptive);
    }

    /** The same with another choice of what stays. */
    public CompressionOptions with(SelectionSettings other) {
        return new CompressionOptions(policy, keep, other, flow, memoryBytes, adaptive);
    }

    /** The same, learning from answers or not. */
    public CompressionOptions withAdaptive(boolean other) {
        return new CompressionOptions(policy, keep, selection, flow, memoryBytes, other);
    }
}
