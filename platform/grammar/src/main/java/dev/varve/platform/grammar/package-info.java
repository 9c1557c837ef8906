/**
 * Answers that cannot come out wrong: what a text must look like, said by a JSON schema, a regular
 * expression, a list of choices or a grammar, as the set of tokens that may come next.
 *
 * <p>{@link dev.varve.platform.grammar.GrammarCompiler} makes a {@link
 * dev.varve.platform.grammar.TokenGrammar} of a {@link dev.varve.platform.grammar.GrammarSource};
 * its {@link dev.varve.platform.grammar.GrammarState}s are immutable. What cannot be enforced is
 * refused with a {@link dev.varve.platform.grammar.GrammarException}.
 */
package dev.varve.platform.grammar;
