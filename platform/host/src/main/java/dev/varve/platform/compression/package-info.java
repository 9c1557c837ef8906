/**
 * Compression of long prompts before prefill: which requests, how much, and which tokens. A model
 * cannot use text that was dropped, so compression is off unless the operator or a request enables
 * it, and responses report it.
 *
 * <p>A prompt is compressed as a whole, once, or message by message. In the second mode old
 * messages are compressed once and keep that text; the messages before and behind them stay as they
 * are, so that cached prefixes stay usable. {@link
 * dev.varve.platform.compression.conversation.ConversationCompressionSettings} decides between the
 * two, {@link dev.varve.platform.compression.MessageCompressionPlan} selects the messages, and
 * {@link dev.varve.platform.compression.selection} selects their tokens. This package does not
 * depend on engines, devices or HTTP.
 */
package dev.varve.platform.compression;
