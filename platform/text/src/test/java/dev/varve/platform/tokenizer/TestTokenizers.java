package dev.varve.platform.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Tokenizers for the tests of other packages. */
public final class TestTokenizers {
    private TestTokenizers() {}

    /** Token i is byte i, for the first 256 ids; then come the given control tokens. */
    public static Tokenizer ofBytes(String... controls) {
        TestVocabulary vocabulary = TestVocabulary.ofBytes("qwen35");
        for (String control : controls) {
            vocabulary.token(control, TokenType.CONTROL);
        }
        return vocabulary.tokenizer();
    }

    /** As {@link #ofBytes}, with user-defined tokens, which are part of the text. */
    public static Tokenizer ofBytesAndVisible(String... visible) {
        TestVocabulary vocabulary = TestVocabulary.ofBytes("qwen35");
        for (String text : visible) {
            vocabulary.token(text, TokenType.USER_DEFINED);
        }
        return vocabulary.tokenizer();
    }

    /** As {@link #ofBytes}, with more ordinary tokens, which encoding never yields. */
    public static Tokenizer ofBytesAndWords(List<String> words, String... controls) {
        TestVocabulary vocabulary = TestVocabulary.ofBytes("qwen35");
        for (String control : controls) {
            vocabulary.token(control, TokenType.CONTROL);
        }
        for (String word : words) {
            vocabulary.byteToken(word.getBytes(StandardCharsets.UTF_8));
        }
        return vocabulary.tokenizer();
    }

    /**
     * SentencePiece: text is tokenized to its bytes, after a token for the space before it; then
     * come the given control tokens.
     */
    public static Tokenizer ofSentencePieces(String... controls) {
        TestVocabulary vocabulary =
                TestVocabulary.sentencePieceBytes().token("▁", TokenType.NORMAL, 0);
        for (String control : controls) {
            vocabulary.token(control, TokenType.CONTROL, 0);
        }
        return vocabulary.tokenizer();
    }

    /** A published vocabulary; skips the test where it is not there. */
    public static Tokenizer golden(String name) {
        return GoldenVocabulary.load(name).tokenizer();
    }
}
