/**
 * Families of encoders: a reader for each kind of architecture, and the computation of its layers
 * in terms of {@link dev.varve.api.model.EncoderGraph}.
 */
package dev.varve.plugin.embedders;
