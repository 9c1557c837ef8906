package dev.varve.platform.tokenizer;

/**
 * The tokens of a byte-level vocabulary that are taken as whole words, whatever the merges would
 * make of the word. Control and unknown tokens are none: text of users must not become one.
 */
final class WholeWords {
    private static final byte[][] CHARACTERS = characters();

    private final SymbolTable symbols;
    private final TokenType[] types;

    /** Bytes of the longest token. */
    private final int longest;

    WholeWords(VocabularyData vocabulary, SymbolTable symbols) {
        this.symbols = symbols;
        types = vocabulary.types();
        int most = 0;
        for (byte[] token : vocabulary.tokens()) {
            most = Math.max(most, token.length);
        }
        longest = most;
    }

    /** The token of the word {@code text[from, to)}; {@code -1} for none. */
    int find(byte[] text, int from, int to) {
        if (to - from > longest) {
            return -1;
        }
        byte[] word = new byte[2 * (to - from)];
        int end = 0;
        for (int at = from; at < to; at++) {
            byte[] character = CHARACTERS[text[at] & 0xFF];
            System.arraycopy(character, 0, word, end, character.length);
            end += character.length;
        }
        int id = symbols.find(word, 0, end);
        return id < types.length && id >= 0 && isWord(types[id]) ? id : -1;
    }

    private static boolean isWord(TokenType type) {
        return type != TokenType.CONTROL && type != TokenType.UNKNOWN;
    }

    private static byte[][] characters() {
        byte[][] characters = new byte[256][];
        for (int value = 0; value < 256; value++) {
            characters[value] = ByteAlphabet.encode(value);
        }
        return characters;
    }
}
