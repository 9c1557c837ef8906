/**
 * Chooses the next token from a row of logits. Start with {@link
 * dev.varve.platform.sampling.Sampler}.
 *
 * <p>Everything here runs once per token over the whole vocabulary, so rows are cut into blocks: a
 * block whose highest logit cannot matter is skipped without looking at its tokens.
 */
package dev.varve.platform.sampling;
