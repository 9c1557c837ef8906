/**
 * Prefix cache beyond the sequences on the devices: K and V rows and states of prompt tokens in
 * host memory, indexed by the tokens. A prompt that begins like an earlier one skips that part of
 * its prefill.
 *
 * <p>If a draft model reads hidden states, the cache also keeps the hidden states of sequences,
 * blocks and checkpoints. They are optional: they have their own memory, from which the least
 * recently used pages are evicted.
 *
 * <p>Tokens lie in blocks of {@value dev.varve.platform.prefix.TokenBlock#TOKENS} that form one
 * tree per scope; prompts with a common prefix share its blocks. A checkpoint is a position from
 * which a sequence can resume: the states after its tokens, and the rows since the last whole
 * block. This package does not know devices, shards or models: a part is a number of bytes that
 * belongs to a layer.
 */
package dev.varve.platform.prefix;
