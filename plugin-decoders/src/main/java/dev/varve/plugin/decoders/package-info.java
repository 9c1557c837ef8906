/**
 * Families of decoder models. A reader per group of architectures describes a file as a list of
 * layers; {@link dev.varve.plugin.decoders.DecoderModel} selects the tensors of the layers and
 * records their computation.
 */
package dev.varve.plugin.decoders;
