/**
 * The qwen3 family: what its layers compute, in terms of {@link dev.varve.api.model.ShardGraph}.
 */
package dev.varve.plugin.qwen3;
