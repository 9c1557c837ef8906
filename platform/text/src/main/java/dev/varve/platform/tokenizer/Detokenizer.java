package dev.varve.platform.tokenizer;

import java.util.Arrays;

/**
 * Turns a stream of token ids into text as early as possible. A character may span several tokens:
 * its bytes are held, at most 3 of them, until it is complete. What {@link #push} and {@link
 * #finish} return, put together, is what {@link Tokenizer#decode(int[])} gives for all ids.
 *
 * <p>Made by {@link Tokenizer#detokenizer()}; one for each stream, for one thread.
 */
public final class Detokenizer {
    private final TokenBytes pieces;
    private final boolean renderSpecial;
    private byte[] buffer = new byte[64];
    private int held;
    private boolean finished;

    Detokenizer(TokenBytes pieces, boolean renderSpecial) {
        this.pieces = pieces;
        this.renderSpecial = renderSpecial;
    }

    /**
     * Takes the next token and returns the text that is complete with it, often empty. Bytes that
     * are no UTF-8 become U+FFFD, one for each maximal subpart.
     *
     * @throws IllegalArgumentException if the vocabulary has no such id
     * @throws IllegalStateException after {@link #finish}
     */
    public String push(int id) {
        if (finished) {
            throw new IllegalStateException("the detokenizer is finished");
        }
        int length = held + pieces.length(id, renderSpecial);
        if (length > buffer.length) {
            buffer = Arrays.copyOf(buffer, length * 2);
        }
        pieces.copy(id, renderSpecial, buffer, held);
        int complete = Utf8.decodableLength(buffer, length);
        String text = Utf8.decode(buffer, 0, complete);
        held = length - complete;
        System.arraycopy(buffer, complete, buffer, 0, held);
        return text;
    }

    /**
     * Ends the stream: a character that was cut short becomes U+FFFD. Twice is allowed and returns
     * nothing more.
     */
    public String finish() {
        String text = Utf8.decode(buffer, 0, held);
        held = 0;
        finished = true;
        return text;
    }
}
