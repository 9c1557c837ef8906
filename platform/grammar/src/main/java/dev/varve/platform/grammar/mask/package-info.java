/**
 * From a grammar's bytes to a model's tokens: computes the tokens of a vocabulary that may follow
 * in a state.
 *
 * <p>{@link dev.varve.platform.grammar.mask.SortedVocabulary} holds the vocabulary as tries in
 * depth-first order, sorted so that tokens that are usually permitted together are adjacent; {@link
 * dev.varve.platform.grammar.mask.TokenMasks} traverses them. Tokens of plain text, which are most
 * of a vocabulary, are not checked one by one where any plain text may follow, as within JSON
 * strings.
 */
package dev.varve.platform.grammar.mask;
