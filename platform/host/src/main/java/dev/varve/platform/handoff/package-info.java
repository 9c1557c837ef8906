/**
 * Hand-off of prompts between servers: a prefill server computes prompts for decode servers, which
 * read the blocks of the prefix cache from it.
 *
 * <p>Both use the wire protocol of shards, over the same transports and with the same credentials.
 * A connection begins with {@link dev.varve.platform.handoff.HandOffMessages#OPEN}, which names the
 * namespace of the cached values; a server with another one refuses it.
 */
package dev.varve.platform.handoff;
