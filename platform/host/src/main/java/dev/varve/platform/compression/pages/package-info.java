/**
 * Page scores by a drafter, for sequences whose pool holds only some of their pages: maps the
 * tokens of a sequence to the drafter's, and the drafter's scores to pages. Start with {@link
 * dev.varve.platform.compression.pages.DrafterPageScorer}.
 */
package dev.varve.platform.compression.pages;
