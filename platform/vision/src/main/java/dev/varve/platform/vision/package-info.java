/**
 * Images that clients send: from the bytes of a file to the canvas that an image encoder reads.
 *
 * <p>{@link dev.varve.platform.vision.ImageHeader} reads the size of an image without decoding it,
 * which suffices to count its tokens. {@link dev.varve.platform.vision.ImageDecoder} decodes it
 * within {@link dev.varve.platform.vision.ImageLimits}, and {@link
 * dev.varve.platform.vision.CanvasPainter} resamples it.
 */
package dev.varve.platform.vision;
