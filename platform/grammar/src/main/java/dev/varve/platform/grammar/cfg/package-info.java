/**
 * Context-free grammars over terminals that are regular expressions, and the recognizer that reads
 * them byte by byte.
 *
 * <p>{@link dev.varve.platform.grammar.cfg.GrammarBuilder} builds a {@link
 * dev.varve.platform.grammar.cfg.Grammar}; {@link dev.varve.platform.grammar.cfg.Recognizer}
 * computes its {@link dev.varve.platform.grammar.cfg.ParseState}s: Earley's algorithm (1970) above
 * the lazy lexer, without a priority rule if several terminals match. States are immutable and
 * cached, so that a transition costs a look-up after its first use, and equal positions are one
 * object.
 */
package dev.varve.platform.grammar.cfg;
