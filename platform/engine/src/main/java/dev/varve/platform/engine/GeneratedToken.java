package dev.varve.platform.engine;

import dev.varve.platform.sampling.TokenLogprobs;

import java.util.Optional;

/**
 * A chosen token.
 *
 * @param id token id
 * @param logprobs log probabilities of the choice, if requested
 */
public record GeneratedToken(int id, Optional<TokenLogprobs> logprobs) {}
