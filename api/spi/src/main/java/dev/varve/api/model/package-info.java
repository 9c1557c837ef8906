/**
 * SPI of a model family: a plugin describes the computation of a range of layers, in terms of
 * {@link dev.varve.api.model.ShardGraph}; the platform does everything else once for all families.
 *
 * <p>Start with {@link dev.varve.api.model.ModelFamilyProvider}. The types that plugins implement
 * are stable; the types that the platform implements, and the values that both exchange, may grow.
 * The plugin guide of the installation has a complete family.
 */
package dev.varve.api.model;
