/**
 * Token selection for the compression of a long text: chunks of consecutive tokens, those with the
 * best scores and those that must be kept. Pure functions of ids, scores and settings, so the same
 * text is always compressed in the same way.
 *
 * <p>Start with {@link dev.varve.platform.compression.selection.ChunkSelector}. {@link
 * dev.varve.platform.compression.selection.WordBoundaryAdjustment} then extends pieces to whole
 * words, and {@link dev.varve.platform.compression.selection.TokenAlignedText} builds the text. A
 * {@link dev.varve.platform.compression.selection.Selection} also holds the reason for each kept
 * token.
 */
package dev.varve.platform.compression.selection;
