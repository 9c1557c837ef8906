package dev.varve.platform.chat;

/**
 * A rendered conversation.
 *
 * @param tokens token ids
 * @param boundaries ascending positions up to which other conversations and the next turn of this
 *     one may have the same tokens: the starts of messages
 * @param text text of the tokens
 */
public record ChatPrompt(int[] tokens, int[] boundaries, String text) {
    private static final int[] NONE = {};

    /** Creates a prompt from a text that is no conversation. */
    public static ChatPrompt ofText(int[] tokens, String text) {
        return new ChatPrompt(tokens, NONE, text);
    }
}
