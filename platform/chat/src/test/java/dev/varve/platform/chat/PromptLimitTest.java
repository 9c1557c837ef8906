package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.ContextOverflowException;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.TooManyTokensException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromptLimitTest {
    @Test
    void promptTokensAreCountedUpToTwiceTheContext() {
        int tokens = new PromptLimit(100).apply(1, TokenLimit::tokens);
        int most = new PromptLimit(Integer.MAX_VALUE).apply(1, TokenLimit::tokens);

        assertEquals(200, tokens);
        assertEquals(Integer.MAX_VALUE, most);
    }

    @Test
    void longerPromptIsRefusedWithItsMinimumLength() {
        VarveException refusal =
                assertThrows(
                        ContextOverflowException.class,
                        () ->
                                new PromptLimit(100)
                                        .apply(
                                                16,
                                                limit -> {
                                                    throw new TooManyTokensException(
                                                            limit.tokens());
                                                }));

        assertEquals(VarveException.Kind.CONTEXT_OVERFLOW, refusal.kind());
        assertEquals(
                "This model's maximum context length is 100 tokens. However, you requested 217"
                        + " tokens (201 in the messages, 16 in the completion) at least. Please"
                        + " reduce the length of the messages or completion.",
                refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"100, 1048576", "1000000, 4000000", "2000000000, 2147483647"})
    void countingRouteHasAHigherLimit(int context, int tokens) {
        assertEquals(tokens, new PromptLimit(context).forCounting().tokens());
    }
}
