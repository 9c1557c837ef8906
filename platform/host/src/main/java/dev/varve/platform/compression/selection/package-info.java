/**
 * Which tokens of a long text stay when it is compressed: chunks of consecutive tokens, those with
 * the best scores and those that must stay. Pure functions of ids, scores and settings, so that the
 * same text is always cut in the same way.
 *
 * <p>Start with {@link dev.varve.platform.compression.selection.ChunkSelector}; {@link
 * dev.varve.platform.compression.selection.WordBoundaryAdjustment} then sees to it that no word is
 * cut, and {@link dev.varve.platform.compression.selection.TokenAlignedText} puts the text
 * together. A {@link dev.varve.platform.compression.selection.Selection} also tells why each token
 * stays.
 */
package dev.varve.platform.compression.selection;
