/**
 * Long prompts made shorter before the model computes them: which requests, how much, and what of
 * them. What a model never sees it cannot answer from, so that nothing of this happens unless
 * somebody wants it, and answers tell.
 *
 * <p>A prompt is compressed as a whole, once, or message by message: old messages shrink, stay as
 * they have become, and those before and behind them stay as they are, so that what was computed
 * for an earlier turn goes on to be of use. {@link
 * dev.varve.platform.compression.CompressionPolicy} decides between them, {@link
 * dev.varve.platform.compression.MessageCompressionPlan} says which messages shrink, and {@link
 * dev.varve.platform.compression.selection} which of their tokens stay. Nothing here knows of
 * engines, devices or HTTP.
 */
package dev.varve.platform.compression;
