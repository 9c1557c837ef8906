/**
 * Speculative decoding without a model: drafts from the text itself, acceptance rates, costs of
 * steps by their number of tokens, and the choice of the draft length. Independent of requests and
 * shards.
 */
package dev.varve.platform.speculation;
