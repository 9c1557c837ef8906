/**
 * Chooses the next token from a row of logits. Start with {@link
 * dev.varve.platform.sampling.Sampler}.
 *
 * <p>This code runs once per token over the whole vocabulary, so rows are divided into blocks: a
 * block whose highest logit cannot matter is skipped without reading its tokens.
 */
package dev.varve.platform.sampling;
