/**
 * Compression of conversations: locates messages in a rendered prompt, decides which of them may be
 * compressed, and caches the results of earlier turns. The rest of the prompt stays as it is, since
 * the template renders it again around the compressed texts.
 *
 * <p>Start with {@link dev.varve.platform.compression.conversation.ConversationCompressor}.
 */
package dev.varve.platform.compression.conversation;
