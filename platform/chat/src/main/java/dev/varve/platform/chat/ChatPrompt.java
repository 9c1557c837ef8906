package dev.varve.platform.chat;

import dev.varve.platform.shard.SequenceImages;

/**
 * A rendered conversation.
 *
 * @param tokens token ids
 * @param boundaries ascending positions up to which other conversations and the next turn of this
 *     one may have the same tokens: the starts of messages
 * @param text text of the tokens, in which a placeholder stands for each image
 * @param images the images, whose tokens are negative
 */
public record ChatPrompt(int[] tokens, int[] boundaries, String text, SequenceImages images) {
    private static final int[] NONE = {};

    /** Creates a prompt without images. */
    public ChatPrompt(int[] tokens, int[] boundaries, String text) {
        this(tokens, boundaries, text, SequenceImages.NONE);
    }

    /** Creates a prompt from a text that is no conversation. */
    public static ChatPrompt ofText(int[] tokens, String text) {
        return new ChatPrompt(tokens, NONE, text);
    }
}
