/**
 * Image encoders on devices: weights, and a graph for each image. {@link
 * dev.varve.platform.shard.image.LocalImageEncoder} computes one image at a time, on any device.
 */
package dev.varve.platform.shard.image;
