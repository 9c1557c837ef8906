/**
 * From a grammar's bytes to a model's tokens: which tokens of a vocabulary may follow in a state.
 *
 * <p>{@link dev.varve.platform.grammar.mask.SortedVocabulary} holds the vocabulary as tries in
 * depth-first order, sorted so that tokens that stand or fall together are neighbours; {@link
 * dev.varve.platform.grammar.mask.TokenMasks} walks them. Tokens of plain text, which are most of a
 * vocabulary, are not looked at one by one where any plain text may follow, as within JSON strings.
 */
package dev.varve.platform.grammar.mask;
