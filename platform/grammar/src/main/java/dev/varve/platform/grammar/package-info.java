/**
 * Structured output: a JSON schema, a regular expression, a list of choices or a grammar restricts
 * a response, as the set of tokens that may come next.
 *
 * <p>{@link dev.varve.platform.grammar.GrammarCompiler} compiles a {@link
 * dev.varve.platform.grammar.GrammarSource} to a {@link dev.varve.platform.grammar.TokenGrammar};
 * its {@link dev.varve.platform.grammar.GrammarState}s are immutable. A source that cannot be
 * enforced is rejected with a {@link dev.varve.platform.grammar.GrammarException}.
 */
package dev.varve.platform.grammar;
