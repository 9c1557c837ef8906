/**
 * What the files of a model hold: which files they are ({@link
 * dev.varve.platform.content.FileIdentity}) and SHA-256 digests of their tensors' bytes ({@link
 * dev.varve.platform.content.TensorDigests}), which are computed once and remembered. Knows neither
 * shards nor families.
 */
package dev.varve.platform.content;
