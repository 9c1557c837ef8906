/**
 * SPI of a model family: a plugin says what a range of layers computes, in terms of {@link
 * dev.varve.api.model.ShardGraph}; the platform does everything else once for all families.
 *
 * <p>Start with {@link dev.varve.api.model.ModelFamilyProvider}. What plugins implement is stable;
 * what the platform implements, and the values that both exchange, may grow. The plugin guide of
 * the installation has a whole family.
 */
package dev.varve.api.model;
