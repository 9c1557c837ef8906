/**
 * Multi-token prediction: a block after the last layer of some model files, or a draft head in its
 * own file, drafts the next tokens one after the other. The model's family records it; a shard
 * computes it on a device of this process, with keys and values of its own for every token.
 *
 * @see <a href="https://arxiv.org/abs/2404.19737">Better and Faster Large Language Models via
 *     Multi-token Prediction</a>
 */
package dev.varve.platform.mtp;
