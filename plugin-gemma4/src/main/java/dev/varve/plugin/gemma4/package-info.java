/**
 * The gemma4 family: the computation of its layers, in terms of {@link
 * dev.varve.api.model.ShardGraph}.
 */
package dev.varve.plugin.gemma4;
