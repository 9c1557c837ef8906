/**
 * SPI of a model family: a plugin says what a range of layers computes, in terms of {@link
 * dev.varve.api.model.ShardGraph}; the platform does everything else once for all families.
 */
package dev.varve.api.model;
