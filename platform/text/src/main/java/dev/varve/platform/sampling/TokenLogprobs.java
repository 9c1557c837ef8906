package dev.varve.platform.sampling;

import java.util.List;

/**
 * Log probabilities under the model's distribution, before temperature and filters.
 *
 * @param chosen of the chosen token
 * @param top the most likely tokens, best first
 */
public record TokenLogprobs(float chosen, List<Alternative> top) {
    /** One likely token. */
    public record Alternative(int id, float logprob) {}

    /** Copies the alternatives. */
    public TokenLogprobs {
        top = List.copyOf(top);
    }
}
