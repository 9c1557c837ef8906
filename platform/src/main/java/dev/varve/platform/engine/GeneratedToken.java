package dev.varve.platform.engine;

import java.util.List;
import java.util.Optional;

/**
 * A chosen token.
 *
 * @param id token id
 * @param logprobs log probabilities of the choice, where the request asked for them
 */
public record GeneratedToken(int id, Optional<Logprobs> logprobs) {

    /**
     * Log probabilities under the model's distribution, before temperature and filters.
     *
     * @param chosen of the chosen token
     * @param top the most likely tokens, best first
     */
    public record Logprobs(float chosen, List<Alternative> top) {
        public Logprobs {
            top = List.copyOf(top);
        }
    }

    /** One likely token. */
    public record Alternative(int id, float logprob) {}
}
