/**
 * Multi-token prediction: the block that some model files have behind their last layer, or an
 * assistant in a file of its own, guesses the next tokens one after the other. The model's family
 * records it; a shard computes it on a device of this process, with keys and values of its own for
 * every token.
 *
 * @see <a href="https://arxiv.org/abs/2404.19737">Better and Faster Large Language Models via
 *     Multi-token Prediction</a>
 */
package dev.varve.platform.mtp;
