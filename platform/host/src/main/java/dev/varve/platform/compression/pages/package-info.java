/**
 * What a drafter says about the pages of a sequence, of which only some can be in its pool: the
 * tokens of the sequence become the drafter's, and the drafter's scores become those of pages.
 * Start with {@link dev.varve.platform.compression.pages.DrafterPageScorer}.
 */
package dev.varve.platform.compression.pages;
