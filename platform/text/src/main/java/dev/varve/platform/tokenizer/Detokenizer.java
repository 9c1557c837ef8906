package dev.varve.platform.tokenizer;

import java.util.Arrays;

/**
 * Converts a stream of token ids to text as early as possible. A character may span several tokens:
 * its bytes, at most 3, are held until it is complete. The joined results of {@link #push} and
 * {@link #finish} equal the result of {@link Tokenizer#decode(int[])} for all ids.
 *
 * <p>Created by {@link Tokenizer#detokenizer()}; one for each stream, for one thread.
 */
public final class Detokenizer {
    private final TokenBytes pieces;
    private final boolean renderSpecial;
    private byte[] buffer = new byte[64];
    private int pendingBytes;
    private boolean finished;

    Detokenizer(TokenBytes pieces, boolean renderSpecial) {
        this.pieces = pieces;
        this.renderSpecial = renderSpecial;
    }

    /**
     * Adds the next token and returns the text that is now complete, often empty. Bytes that are
     * not UTF-8 become U+FFFD, one for each maximal subpart.
     *
     * @throws IllegalArgumentException if the vocabulary has no such id
     * @throws IllegalStateException after {@link #finish}
     */
    public String push(int id) {
        if (finished) {
            throw new IllegalStateException("the detokenizer is finished");
        }
        int length = pendingBytes + pieces.length(id, renderSpecial);
        if (length > buffer.length) {
            buffer = Arrays.copyOf(buffer, length * 2);
        }
        pieces.copy(id, renderSpecial, buffer, pendingBytes);
        int complete = Utf8.decodableLength(buffer, length);
        String text = Utf8.decode(buffer, 0, complete);
        pendingBytes = length - complete;
        System.arraycopy(buffer, complete, buffer, 0, pendingBytes);
        return text;
    }

    /**
     * Ends the stream: an incomplete character becomes U+FFFD. A second call is permitted and
     * returns an empty text.
     */
    public String finish() {
        String text = Utf8.decode(buffer, 0, pendingBytes);
        pendingBytes = 0;
        finished = true;
        return text;
    }
}
