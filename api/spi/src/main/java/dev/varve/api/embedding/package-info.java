/**
 * Encoders of texts: models that compute a vector or a score instead of the next token. A {@link
 * dev.varve.api.model.ModelFamilyProvider} opens a {@link dev.varve.api.embedding.TextEncoder},
 * which records its layers into an {@link dev.varve.api.embedding.EncoderGraph}; the platform
 * batches the texts and pools the rows.
 */
package dev.varve.api.embedding;
