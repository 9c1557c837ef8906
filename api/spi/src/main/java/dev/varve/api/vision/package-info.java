/**
 * Encoders that turn images into rows which enter a model in place of the rows of tokens.
 *
 * <p>An encoder has a file of its own, the projector, whose key {@code clip.projector_type} selects
 * the {@link dev.varve.api.vision.ImageEncoderProvider}. The platform decodes and resizes images,
 * loads the weights and computes the graph that an {@link dev.varve.api.vision.ImageEncoder}
 * records, on whichever device it chooses.
 */
package dev.varve.api.vision;
