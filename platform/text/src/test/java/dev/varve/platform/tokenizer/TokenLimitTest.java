package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class TokenLimitTest {
    private static final int LONG = 1000;

    private final Tokenizer tokenizer = TestTokenizers.ofBytes("<mark>");

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "some words, ünï and 12345", "<mark><mark>", "x <mark> y"})
    void textAtTheLimitHasAllItsTokens(String text) {
        int[] tokens = tokenizer.encode(text, true);
        List<TextSpan> spans = List.of(new TextSpan(text, true));

        assertArrayEquals(tokens, tokenizer.encode(text, true, TokenLimit.of(tokens.length)));
        assertArrayEquals(tokens, tokenizer.encodeSpans(spans, TokenLimit.of(tokens.length)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "some words, ünï and 12345", "<mark><mark>", "x <mark> y"})
    void oneTokenMoreIsRefused(String text) {
        TokenLimit limit = TokenLimit.of(tokenizer.encode(text, true).length - 1);
        List<TextSpan> spans = List.of(new TextSpan(text, true));

        TooManyTokensException refusal =
                assertThrows(
                        TooManyTokensException.class, () -> tokenizer.encode(text, true, limit));

        assertEquals(limit.tokens(), refusal.limit());
        assertThrows(TooManyTokensException.class, () -> tokenizer.encodeSpans(spans, limit));
    }

    /** The word at the end is too long: who comes to it has read on. */
    @Test
    void textBehindTheLimitIsNotRead() {
        String text = "a ".repeat(LONG) + "b".repeat(2 * LONG);

        assertThrows(
                TooManyTokensException.class,
                () -> tokenizer.encode(text, true, new TokenLimit(LONG, LONG)));
    }

    @Test
    void certainlyTooLongTextIsRefusedByItsLength() {
        String text = "b".repeat(2 * LONG * "<mark>".length());

        assertThrows(
                TooManyTokensException.class,
                () -> tokenizer.encode(text, true, new TokenLimit(LONG, LONG)));
    }

    @Test
    void tooLongWordIsReported() {
        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () ->
                                tokenizer.encode(
                                        "b".repeat(LONG + 1), true, new TokenLimit(LONG, LONG)));

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        assertTrue(refusal.getMessage().contains("1000"), refusal.getMessage());
        assertEquals(
                LONG, tokenizer.encode("b".repeat(LONG), true, new TokenLimit(LONG, LONG)).length);
    }
}
