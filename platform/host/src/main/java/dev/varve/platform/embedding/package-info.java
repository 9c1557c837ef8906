/**
 * Vectors and scores of texts: {@link dev.varve.platform.embedding.TextEmbedder} encodes the texts
 * of many requests in common batches, {@link dev.varve.platform.embedding.PairTokens} makes the
 * tokens of a query and a document. Independent of HTTP.
 */
@SuppressWarnings("exports") // the users of this package read the same modules
package dev.varve.platform.embedding;
