package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.CompressedText;
import dev.varve.platform.compression.CompressionFingerprint;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.CompressionTimes;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A conversation of which something is left out.
 *
 * @param messages as the template gets them
 * @param mode how it became shorter
 * @param keepRequested part of what may shrink that was to stay
 * @param knownMessages messages that had become shorter in earlier turns
 * @param times what it took
 * @param fingerprint how it was done
 * @param whole what stays of the prompt, where it was compressed as a whole
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

    /** The same of a conversation that goes on behind it. */
    CompressedConversation with(List<Map<String, Object>> others) {
        return new CompressedConversation(
                others, mode, keepRequested, knownMessages, times, fingerprint, whole);
    }

    /**
     * What is told of it.
     *
     * @param promptTokens before
     * @param effectiveTokens after, as the template rendered it again
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
