/**
 * Image encoders on devices: weights, and a graph for each image. {@link
 * dev.varve.platform.shard.image.LocalImageEncoder} computes one image at a time, on any device of
 * this process; {@link dev.varve.platform.shard.image.ImageRowEncoder} is what it has in common
 * with an encoder in another process.
 */
package dev.varve.platform.shard.image;
