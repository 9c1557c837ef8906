/**
 * Contents of model files: their identity ({@link dev.varve.platform.content.FileIdentity}) and
 * SHA-256 digests of their tensors' bytes ({@link dev.varve.platform.content.TensorDigests}), which
 * are computed once and stored. Does not depend on shards or families.
 */
package dev.varve.platform.content;
