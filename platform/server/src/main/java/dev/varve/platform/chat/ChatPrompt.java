package dev.varve.platform.chat;

/**
 * A rendered conversation.
 *
 * @param tokens token ids
 * @param boundaries positions, ascending, up to which other conversations and the next turn of this
 *     one may have the same tokens: where messages begin
 * @param text the text that the tokens stand for
 */
public record ChatPrompt(int[] tokens, int[] boundaries, String text) {
    private static final int[] NONE = {};

    /** A text that is no conversation. */
    public static ChatPrompt ofText(int[] tokens, String text) {
        return new ChatPrompt(tokens, NONE, text);
    }
}
