package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;

/** Type of a token: {@code tokenizer.ggml.token_type}; the ordinal is the number in the file. */
enum TokenType {
    /** Unspecified; treated like {@link #NORMAL}. */
    UNDEFINED,
    NORMAL,
    UNKNOWN,
    /** Controls the model; not part of the text unless special tokens are rendered. */
    CONTROL,
    /** Separated from the text before merging, like a control token, but part of the text. */
    USER_DEFINED,
    /** Padding of the vocabulary; no text. */
    UNUSED,
    /** One byte, written {@code <0xHH>}. */
    BYTE;

    private static final TokenType[] BY_CODE = values();

    static TokenType of(long code, int id) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    "tokenizer.ggml.token_type["
                            + id
                            + "]: expected 0 to "
                            + (BY_CODE.length - 1)
                            + ", found "
                            + code);
        }
        return BY_CODE[(int) code];
    }

    /** Returns whether such tokens are separated from trusted text before merging. */
    boolean isCutOut() {
        return this == CONTROL || this == USER_DEFINED || this == UNKNOWN;
    }
}
