package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.CompressionDecision;
import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.KeepCurve;
import dev.varve.platform.compression.MessageCompressionSettings;
import dev.varve.platform.compression.PromptMessage;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.compression.selection.SelectionSettings;

import java.util.Objects;

/**
 * Settings of conversation compression: which prompts are compressed, and how.
 *
 * @param mode when prompts are compressed
 * @param thresholdTokens length from which prompts are compressed in mode {@link
 *     CompressionMode#AUTO}, in tokens of the model; at least 0
 * @param byMessage whether conversations are compressed message by message, and first turns are not
 *     compressed
 * @param keep ratio to keep, by the prompt's length in tokens of the model
 * @param selection which text is kept
 * @param flow which messages are compressed in message-by-message mode
 * @param adaptive whether the ratio follows the acceptance rate of draft tokens in the responses,
 *     for requests that name their conversation
 */
public record ConversationCompressionSettings(
        CompressionMode mode,
        int thresholdTokens,
        boolean byMessage,
        KeepCurve keep,
        SelectionSettings selection,
        MessageCompressionSettings flow,
        boolean adaptive) {
    /** Default: off; the threshold is 32,000 tokens, and prompts are compressed as a whole. */
    public static final ConversationCompressionSettings USUAL =
            of(CompressionMode.OFF, 32_000, KeepRatio.USUAL);

    /** Checks the threshold. */
    public ConversationCompressionSettings {
        Objects.requireNonNull(mode);
        Objects.requireNonNull(keep);
        Objects.requireNonNull(selection);
        Objects.requireNonNull(flow);
        if (thresholdTokens < 0) {
            throw new IllegalArgumentException(
                    "prefill threshold: expected 0 or more tokens, found " + thresholdTokens);
        }
    }

    /** Returns options for whole prompts, with defaults for everything else. */
    public static ConversationCompressionSettings of(
            CompressionMode mode, int thresholdTokens, KeepRatio keep) {
        return new ConversationCompressionSettings(
                mode,
                thresholdTokens,
                false,
                KeepCurve.flat(keep),
                SelectionSettings.USUAL,
                MessageCompressionSettings.USUAL,
                false);
    }

    /**
     * Returns how a prompt is treated.
     *
     * @param requested the mode of its request
     * @param tokens length of the prompt that the client sent
     * @param continuation whether it continues a conversation, see {@link
     *     PromptMessage#isContinuation}
     */
    CompressionDecision treatment(CompressionMode requested, int tokens, boolean continuation) {
        boolean compresses =
                switch (requested) {
                    case OFF -> false;
                    case AUTO -> tokens >= thresholdTokens;
                    case ALWAYS -> true;
                };
        if (!compresses) {
            return CompressionDecision.VERBATIM;
        }
        if (continuation) {
            return byMessage
                    ? CompressionDecision.BY_MESSAGE
                    : CompressionDecision.VERBATIM_CONTINUATION;
        }
        return byMessage ? CompressionDecision.VERBATIM_FIRST_TURN : CompressionDecision.WHOLE;
    }
}
