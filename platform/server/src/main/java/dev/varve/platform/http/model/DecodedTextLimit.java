package dev.varve.platform.http.model;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.tokenizer.Tokenizer;

/**
 * How much text a request may get for its token ids: one of a few bytes can stand for a hundred and
 * more. Counted before anything is decoded.
 */
public final class DecodedTextLimit {
    /** Text of all tokens of a request, as often as it stands in the answer. */
    public static final int BYTES = 16 << 20;

    private final String field;
    private final int copies;
    private long used;

    /** {@code copies}: how often each text stands in the answer. */
    public DecodedTextLimit(String field, int copies) {
        this.field = field;
        this.copies = copies;
    }

    /** The text of tokens, if there is enough left for it. */
    public String decode(Tokenizer tokenizer, int[] ids, boolean renderSpecial) {
        take(tokenizer.textBytes(ids, renderSpecial));
        return tokenizer.decode(ids, renderSpecial);
    }

    /** Counts a text that is there already. */
    public String pass(String text) {
        take(text.length());
        return text;
    }

    private void take(long bytes) {
        used += bytes * copies;
        if (used > BYTES) {
            throw ApiException.invalid(
                    field,
                    field
                            + ": expected tokens of at most "
                            + BYTES
                            + " bytes of text in the answer, found more");
        }
    }
}
