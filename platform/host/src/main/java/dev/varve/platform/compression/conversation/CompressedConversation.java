package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.CompressedText;
import dev.varve.platform.compression.CompressionFingerprint;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.CompressionTimes;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A compressed conversation.
 *
 * @param messages messages for the template
 * @param mode how it was compressed
 * @param keepRequested requested part of the compressible text to keep
 * @param knownMessages messages whose compressed text came from earlier turns
 * @param times duration of each phase
 * @param fingerprint fingerprint of the compression
 * @param whole the kept text of the prompt, if it was compressed as a whole
 */
public record CompressedConversation(
        List<Map<String, Object>> messages,
        CompressionReport.Mode mode,
        double keepRequested,
        int knownMessages,
        CompressionTimes times,
        CompressionFingerprint fingerprint,
        Optional<CompressedText> whole) {
    /** Copies the messages. */
    public CompressedConversation {
        messages = List.copyOf(messages);
    }

    /** Returns a copy with the messages of a continued conversation. */
    CompressedConversation with(List<Map<String, Object>> others) {
        return new CompressedConversation(
                others, mode, keepRequested, knownMessages, times, fingerprint, whole);
    }

    /**
     * Returns its report.
     *
     * @param promptTokens tokens before the compression
     * @param effectiveTokens tokens after it, as the template rendered it again
     */
    public CompressionReport report(int promptTokens, int effectiveTokens) {
        return new CompressionReport(
                mode,
                keepRequested,
                promptTokens,
                effectiveTokens,
                knownMessages,
                times,
                fingerprint);
    }
}
