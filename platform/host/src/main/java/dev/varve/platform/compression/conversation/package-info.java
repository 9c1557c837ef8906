/**
 * Conversations whose messages become shorter: where their texts stand in a rendered prompt, which
 * of them may shrink, and what they have become in earlier turns. Everything else of a prompt
 * stays, since the template writes it anew around the shorter texts.
 *
 * <p>Start with {@link dev.varve.platform.compression.conversation.ConversationCompressor}.
 */
package dev.varve.platform.compression.conversation;
