package dev.varve.platform.tokenizer;

import java.util.Arrays;

/** The bytes that each token stands for, in one flat array. Immutable. */
final class TokenBytes {
    private static final byte[] NOTHING = new byte[0];

    private final TokenType[] types;
    private final byte[] bytes;

    /** Piece i, special ones rendered, is {@code bytes[offsets[i], offsets[i + 1])}. */
    private final int[] offsets;

    private TokenBytes(TokenType[] types, byte[] bytes, int[] offsets) {
        this.types = types;
        this.bytes = bytes;
        this.offsets = offsets;
    }

    static TokenBytes of(VocabularyData vocabulary, MergeAlgorithm algorithm) {
        byte[][] tokens = vocabulary.tokens();
        // A piece is never longer than its text, and the texts fit into one array: SymbolTable has
        // checked that.
        byte[] bytes = new byte[Arrays.stream(tokens).mapToInt(text -> text.length).sum()];
        int[] offsets = new int[tokens.length + 1];
        for (int id = 0; id < tokens.length; id++) {
            byte[] piece = piece(tokens[id], vocabulary.types()[id], algorithm);
            System.arraycopy(piece, 0, bytes, offsets[id], piece.length);
            offsets[id + 1] = offsets[id] + piece.length;
        }
        return new TokenBytes(
                vocabulary.types(), Arrays.copyOf(bytes, offsets[tokens.length]), offsets);
    }

    int size() {
        return types.length;
    }

    TokenType type(int id) {
        checkId(id);
        return types[id];
    }

    byte[] of(int id, boolean renderSpecial) {
        return isEmpty(id, renderSpecial)
                ? NOTHING
                : Arrays.copyOfRange(bytes, offsets[id], offsets[id + 1]);
    }

    int length(int id, boolean renderSpecial) {
        return isEmpty(id, renderSpecial) ? 0 : offsets[id + 1] - offsets[id];
    }

    /** Copies a piece to {@code target[at, at + length)}; returns its end. */
    int copy(int id, boolean renderSpecial, byte[] target, int at) {
        int length = length(id, renderSpecial);
        System.arraycopy(bytes, offsets[id], target, at, length);
        return at + length;
    }

    private boolean isEmpty(int id, boolean renderSpecial) {
        TokenType type = type(id);
        return !renderSpecial && (type == TokenType.CONTROL || type == TokenType.UNKNOWN);
    }

    private void checkId(int id) {
        if (id < 0 || id >= types.length) {
            throw new IllegalArgumentException(
                    "token id: expected 0 to " + (types.length - 1) + ", found " + id);
        }
    }

    private static byte[] piece(byte[] text, TokenType type, MergeAlgorithm algorithm) {
        return switch (type) {
            case CONTROL, UNKNOWN, USER_DEFINED -> text;
            case UNUSED -> NOTHING;
            case BYTE -> ByteToken.decode(text);
            case NORMAL, UNDEFINED -> algorithm.decode(text);
        };
    }
}
