/**
 * What is known of prompts beyond the sequences on the devices: the rows and states of their tokens
 * in host memory, under the tokens themselves, so that a prompt that begins like an earlier one
 * need not be computed again.
 *
 * <p>Where a draft goes by hidden states, a sequence's go with it, and belong to blocks and
 * checkpoints as well. Nobody depends on them: they are in memory of their own, from which the
 * oldest go.
 *
 * <p>Tokens lie in blocks of {@value dev.varve.platform.prefix.TokenBlock#TOKENS} that form a tree
 * per scope; prompts that share a head share its blocks. A checkpoint is a position from which a
 * sequence can go on: the states behind its tokens, and the rows since the last whole block.
 * Nothing here knows of devices, shards or models: a piece is a number of bytes that belongs to a
 * layer.
 */
package dev.varve.platform.prefix;
