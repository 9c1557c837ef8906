package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.CompressionFingerprint;
import dev.varve.platform.compression.MessageKey;
import dev.varve.platform.compression.PromptMessage;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Cache of the compressed messages of whole prompts, so that the prompt of a later turn begins with
 * the same text. Evicts the least recently used entries when the memory is full. Thread-safe.
 */
final class CompressedPromptCache {
    private static final int OVERHEAD_BYTES = 256;
    private static final String ASSISTANT = "assistant";

    private final long mostBytes;
    private final Map<MessageKey, Map<Integer, String>> cuts = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    CompressedPromptCache(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Stores the compressed texts of a prompt's messages, by message number. */
    synchronized void put(
            List<PromptMessage> messages,
            CompressionFingerprint fingerprint,
            Map<Integer, String> texts) {
        Map<Integer, String> before = cuts.put(key(messages, fingerprint), Map.copyOf(texts));
        bytes += size(texts) - (before == null ? 0 : size(before));
        Iterator<Map<Integer, String>> oldest = cuts.values().iterator();
        while (bytes > mostBytes) {
            bytes -= size(oldest.next());
            oldest.remove();
        }
    }

    /** Returns the compressed texts of a prompt with exactly these messages. */
    synchronized Optional<Map<Integer, String>> find(
            List<PromptMessage> messages, CompressionFingerprint fingerprint) {
        return Optional.ofNullable(cuts.get(key(messages, fingerprint)));
    }

    /**
     * Returns the compressed texts of the latest compressed turn of a conversation: the messages
     * before a response.
     */
    Optional<Map<Integer, String>> findEarlier(
            List<PromptMessage> messages, CompressionFingerprint fingerprint) {
        for (int end = messages.size() - 1; end > 0; end--) {
            if (messages.get(end).role().equals(ASSISTANT)) {
                Optional<Map<Integer, String>> found = find(messages.subList(0, end), fingerprint);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private static MessageKey key(
            List<PromptMessage> messages, CompressionFingerprint fingerprint) {
        StringBuilder all = new StringBuilder();
        for (PromptMessage message : messages) {
            String text = message.text();
            // Includes the length, so that two lists of messages with the same concatenation
            // differ.
            all.append(message.role()).append(' ').append(text.length()).append(' ').append(text);
        }
        return MessageKey.of(fingerprint, all.toString());
    }

    private static long size(Map<Integer, String> texts) {
        return OVERHEAD_BYTES + texts.values().stream().mapToLong(text -> 2L * text.length()).sum();
    }
}
