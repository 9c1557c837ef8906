package dev.varve.platform.engine;

import dev.varve.platform.sampling.SamplingOptions;

import java.util.Objects;
import java.util.Set;

/**
 * One prompt to continue.
 *
 * @param prompt token ids, at least one
 * @param stablePrefix leading tokens of the prompt that the next turn of this conversation will
 *     begin with as well; the engine keeps a checkpoint there. 0 where unknown
 * @param maxTokens most tokens to generate, at least 1; prompt and output together must fit the
 *     context
 * @param endTokens ids that end the generation; empty to ignore the model's end of text
 * @param sampling how tokens are chosen
 * @param topLogprobs number of alternatives to report per token, 0 for the chosen one only, -1 for
 *     no log probabilities at all
 * @param guide steers the choice; belongs to this request alone
 * @param scope whose computations the request may continue, and who may continue this one
 */
public record GenerationRequest(
        int[] prompt,
        int stablePrefix,
        int maxTokens,
        Set<Integer> endTokens,
        SamplingOptions sampling,
        int topLogprobs,
        TokenGuide guide,
        CacheScope scope) {
    public GenerationRequest {
        prompt = prompt.clone();
        endTokens = Set.copyOf(endTokens);
        Objects.requireNonNull(sampling);
        Objects.requireNonNull(guide);
        Objects.requireNonNull(scope);
        if (prompt.length == 0) {
            throw new IllegalArgumentException("the prompt has no tokens");
        }
        if (stablePrefix < 0 || stablePrefix > prompt.length) {
            throw new IllegalArgumentException(
                    "stable prefix " + stablePrefix + " exceeds the prompt of " + prompt.length);
        }
        if (maxTokens < 1) {
            throw new IllegalArgumentException(
                    "max_tokens: expected 1 or more, found " + maxTokens);
        }
        if (topLogprobs < -1 || topLogprobs > 20) {
            throw new IllegalArgumentException(
                    "top_logprobs: expected 0 to 20, found " + topLogprobs);
        }
    }

    /** A request in the common scope. */
    public GenerationRequest(
            int[] prompt,
            int stablePrefix,
            int maxTokens,
            Set<Integer> endTokens,
            SamplingOptions sampling,
            int topLogprobs,
            TokenGuide guide) {
        this(
                prompt,
                stablePrefix,
                maxTokens,
                endTokens,
                sampling,
                topLogprobs,
                guide,
                CacheScope.common());
    }

    /** A request that the model alone answers, in the common scope. */
    public GenerationRequest(
            int[] prompt,
            int stablePrefix,
            int maxTokens,
            Set<Integer> endTokens,
            SamplingOptions sampling,
            int topLogprobs) {
        this(prompt, stablePrefix, maxTokens, endTokens, sampling, topLogprobs, TokenGuide.none());
    }

    /** The same request in another scope. */
    public GenerationRequest within(CacheScope other) {
        return new GenerationRequest(
                prompt, stablePrefix, maxTokens, endTokens, sampling, topLogprobs, guide, other);
    }

    @Override
    public int[] prompt() {
        return prompt.clone();
    }
}
