package dev.varve.platform.http.model;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.tokenizer.Tokenizer;

/**
 * Limits the text that a request may receive for its token ids: an id of a few bytes may decode to
 * a hundred bytes and more. Counted before decoding.
 */
public final class DecodedTextLimit {
    /** Limit for the text of all tokens of a request, times its copies in the response. */
    public static final int BYTES = 16 << 20;

    private final String field;
    private final int copies;
    private long used;

    /** Makes a limit; {@code copies} is the number of copies of each text in the response. */
    public DecodedTextLimit(String field, int copies) {
        this.field = field;
        this.copies = copies;
    }

    /** Decodes tokens, if their text is within the limit. */
    public String decode(Tokenizer tokenizer, int[] ids, boolean renderSpecial) {
        count(tokenizer.textBytes(ids, renderSpecial));
        return tokenizer.decode(ids, renderSpecial);
    }

    /** Decodes the tokens of a whole sequence, if their text is within the limit. */
    public String decodeSequence(Tokenizer tokenizer, int[] ids) {
        count(tokenizer.textBytes(ids, false));
        return tokenizer.decodeSequence(ids, false);
    }

    /** Counts a text that is decoded already. */
    public String countText(String text) {
        count(text.length());
        return text;
    }

    private void count(long bytes) {
        used += bytes * copies;
        if (used > BYTES) {
            throw ApiException.invalid(
                    field,
                    field
                            + ": expected tokens that decode to at most "
                            + BYTES
                            + " bytes of text, found more");
        }
    }
}
