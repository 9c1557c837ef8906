package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.CompressionPolicy;
import dev.varve.platform.compression.KeepCurve;
import dev.varve.platform.compression.MessageCompressionSettings;
import dev.varve.platform.compression.selection.SelectionSettings;

import java.util.Objects;

/**
 * Settings of conversation compression.
 *
 * @param policy which conversations are compressed
 * @param keep ratio to keep, by the prompt's length in tokens of the model
 * @param selection which text is kept
 * @param flow which messages are compressed in message-by-message mode
 * @param memoryBytes memory for cached compressed texts
 * @param adaptive whether the ratio follows the acceptance rate of draft tokens in the responses,
 *     for requests that name their conversation
 */
public record CompressionOptions(
        CompressionPolicy policy,
        KeepCurve keep,
        SelectionSettings selection,
        MessageCompressionSettings flow,
        long memoryBytes,
        boolean adaptive) {
    /** Default memory for cached compressed texts. */
    public static final long USUAL_MEMORY = 64L << 20;

    /** Checks that nothing is missing. */
    public CompressionOptions {
        Objects.requireNonNull(policy);
        Objects.requireNonNull(keep);
        Objects.requireNonNull(selection);
        Objects.requireNonNull(flow);
    }

    /** Returns options with defaults except the policy. */
    public static CompressionOptions of(CompressionPolicy policy) {
        return new CompressionOptions(
                policy,
                KeepCurve.USUAL,
                SelectionSettings.USUAL,
                MessageCompressionSettings.USUAL,
                USUAL_MEMORY,
                false);
    }

    /** Returns a copy with another keep curve. */
    public CompressionOptions with(KeepCurve other) {
        return new CompressionOptions(policy, other, selection, flow, memoryBytes, adaptive);
    }

    /** Returns a copy with other message settings. */
    public CompressionOptions with(MessageCompressionSettings other) {
        return new CompressionOptions(policy, keep, selection, other, memoryBytes, adaptive);
    }

    /** Returns a copy with another selection. */
    public CompressionOptions with(SelectionSettings other) {
        return new CompressionOptions(policy, keep, other, flow, memoryBytes, adaptive);
    }

    /** Returns a copy with adaptive ratios on or off. */
    public CompressionOptions withAdaptive(boolean other) {
        return new CompressionOptions(policy, keep, selection, flow, memoryBytes, other);
    }
}
