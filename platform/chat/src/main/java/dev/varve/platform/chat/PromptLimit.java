package dev.varve.platform.chat;

import dev.varve.platform.engine.ContextOverflowException;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.TooManyTokensException;

import java.util.function.Function;

/**
 * Limits how much of a prompt is tokenised. A prompt slightly longer than the context is counted to
 * its end, so that the error says by how much it is too long; a much longer prompt is refused as
 * soon as it exceeds the limit.
 *
 * @param contextTokens context of the model, for prompt and response together
 */
public record PromptLimit(int contextTokens) {
    private static final int FACTOR = 2;

    /**
     * Minimum limit of routes that only count: clients count large documents in order to split
     * them.
     */
    private static final int MIN_COUNTED = 1 << 20;

    private static final int COUNTED_FACTOR = 4;

    /** Returns the limit of routes that count tokens. */
    public TokenLimit forCounting() {
        long tokens = (long) contextTokens * COUNTED_FACTOR;
        return TokenLimit.of(Math.clamp(tokens, MIN_COUNTED, Integer.MAX_VALUE));
    }

    /** Builds a prompt within the limit; {@code output} is the number of tokens to be generated. */
    public <T> T apply(long output, Function<TokenLimit, T> prompt) {
        long tokens = (long) contextTokens * FACTOR;
        return apply(TokenLimit.of((int) Math.min(tokens, Integer.MAX_VALUE)), output, prompt);
    }

    /** Builds a prompt that may be compressed later, within the limit for counting. */
    public <T> T applyBeforeCompression(long output, Function<TokenLimit, T> prompt) {
        return apply(forCounting(), output, prompt);
    }

    private <T> T apply(TokenLimit limit, long output, Function<TokenLimit, T> prompt) {
        try {
            return prompt.apply(limit);
        } catch (TooManyTokensException e) {
            throw ContextOverflowException.ofAtLeast(contextTokens, e.limit() + 1L, output);
        }
    }
}
