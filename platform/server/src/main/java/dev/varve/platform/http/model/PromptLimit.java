package dev.varve.platform.http.model;

import dev.varve.platform.engine.ContextOverflowException;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.TooManyTokensException;

import java.util.function.Function;

/**
 * How much of a prompt is tokenised. A prompt somewhat longer than the context is counted to its
 * end, so that its client learns by how much it is too long; what is far longer is refused as soon
 * as that is certain.
 *
 * @param contextTokens what the model takes, prompt and answer
 */
public record PromptLimit(int contextTokens) {
    private static final int FACTOR = 2;

    /** For counting alone: many a document is cut to size by its number of tokens. */
    private static final int MIN_COUNTED = 1 << 20;

    private static final int COUNTED_FACTOR = 4;

    /** The limit of a model. */
    public static PromptLimit of(ServedModel served) {
        return new PromptLimit(served.engine().status().load().contextTokens());
    }

    /** What a route that counts tokens takes. */
    TokenLimit forCounting() {
        long tokens = (long) contextTokens * COUNTED_FACTOR;
        return TokenLimit.of(Math.clamp(tokens, MIN_COUNTED, Integer.MAX_VALUE));
    }

    /** Makes a prompt within the limit; {@code output} is how many tokens are to follow it. */
    public <T> T apply(long output, Function<TokenLimit, T> prompt) {
        long tokens = (long) contextTokens * FACTOR;
        return apply(TokenLimit.of((int) Math.min(tokens, Integer.MAX_VALUE)), output, prompt);
    }

    /** Likewise a prompt that may become shorter before the model gets it. */
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
