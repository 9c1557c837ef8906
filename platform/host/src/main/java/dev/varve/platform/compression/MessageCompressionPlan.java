package dev.varve.platform.compression;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Selects the messages of a conversation to compress. The plan depends only on the messages, and
 * later messages never change it for messages that are already compressed. So each turn begins with
 * the same text as the turn before, without any stored state.
 *
 * <p>The first message and the newest ones are not compressed. When a message is compressed for the
 * first time, the model must recompute everything behind it. Therefore messages wait until enough
 * tokens are collected, and then all waiting ones are compressed together.
 *
 * @param shrinking indices of the compressed messages, ascending
 */
public record MessageCompressionPlan(List<Integer> shrinking) {
    private static final MessageCompressionPlan NONE = new MessageCompressionPlan(List.of());
    private static final String SYSTEM = "system";

    /** No message is compressed while all old messages together have fewer tokens. */
    private static final int LEAST_BAND_TOKENS = 512;

    /** Copies the indices. */
    public MessageCompressionPlan {
        shrinking = List.copyOf(shrinking);
    }

    /**
     * Plans a conversation.
     *
     * @param tokens token count of each message's text, in the drafter's tokens
     */
    public static MessageCompressionPlan of(
            List<PromptMessage> messages, int[] tokens, MessageCompressionSettings settings) {
        if (tokens.length != messages.size()) {
            throw new IllegalArgumentException(
                    "expected a length for each of "
                            + messages.size()
                            + " messages, found "
                            + tokens.length);
        }
        List<Integer> shrinking = new ArrayList<>();
        List<Integer> waiting = new ArrayList<>();
        long waitingTokens = 0;
        long bandTokens = 0;
        for (int i = 1; i < messages.size() - settings.hotMessages(); i++) {
            bandTokens += tokens[i];
            if (mayShrink(messages.get(i), tokens[i], settings)) {
                waiting.add(i);
                waitingTokens += tokens[i];
            }
            if (waitingTokens > settings.waitingTokens()) {
                shrinking.addAll(waiting);
                waiting.clear();
                waitingTokens = 0;
            }
        }
        return bandTokens < LEAST_BAND_TOKENS ? NONE : new MessageCompressionPlan(shrinking);
    }

    private static boolean mayShrink(
            PromptMessage message, int tokens, MessageCompressionSettings settings) {
        return tokens >= settings.leastMessageTokens()
                && !message.role().equals(SYSTEM)
                && !message.text().isEmpty();
    }

    /** Whether no message is compressed. */
    public boolean isEmpty() {
        return shrinking.isEmpty();
    }

    /**
     * Returns the conversation with compressed texts.
     *
     * @param compressor returns the compressed text of a message; empty on failure, and then the
     *     message stays as it is
     */
    public List<PromptMessage> apply(
            List<PromptMessage> messages, Function<PromptMessage, Optional<String>> compressor) {
        List<PromptMessage> changed = new ArrayList<>(messages);
        for (int i : shrinking) {
            compressor
                    .apply(messages.get(i))
                    .ifPresent(text -> changed.set(i, messages.get(i).withText(text)));
        }
        return List.copyOf(changed);
    }
}
