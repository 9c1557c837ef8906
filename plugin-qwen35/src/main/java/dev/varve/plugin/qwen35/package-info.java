/**
 * The qwen35 family: what its layers compute, in terms of {@link dev.varve.api.model.ShardGraph}.
 */
package dev.varve.plugin.qwen35;
