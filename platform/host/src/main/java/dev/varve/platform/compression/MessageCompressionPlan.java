package dev.varve.platform.compression;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Which messages of a conversation shrink. It follows from the messages alone, and from those that
 * come later nothing changes for those that shrink already: so each turn of a conversation begins
 * with what the turn before began with, and nobody need remember.
 *
 * <p>The first message and the newest ones stay as they are. Where a message that stood as it is
 * begins to shrink, all behind it must be computed again. Therefore messages wait until it is worth
 * it, and then all that wait shrink together.
 *
 * @param shrinking indices of the messages, ascending
 */
public record MessageCompressionPlan(List<Integer> shrinking) {
    private static final MessageCompressionPlan NONE = new MessageCompressionPlan(List.of());
    private static final String SYSTEM = "system";

    /** Copies the indices. */
    public MessageCompressionPlan {
        shrinking = List.copyOf(shrinking);
    }

    /**
     * Plans a conversation.
     *
     * @param tokens of each message's text, in the drafter's tokens
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
        return bandTokens < settings.leastBandTokens()
                ? NONE
                : new MessageCompressionPlan(shrinking);
    }

    private static boolean mayShrink(
            PromptMessage message, int tokens, MessageCompressionSettings settings) {
        return tokens >= settings.leastMessageTokens()
                && !message.role().equals(SYSTEM)
                && !message.text().isEmpty();
    }

    /** Whether all messages stay as they are. */
    public boolean isEmpty() {
        return shrinking.isEmpty();
    }

    /**
     * The conversation with shorter texts.
     *
     * @param compressor gives the shorter text of a message; nothing where that failed, so that the
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
