/**
 * Context-free grammars over terminals that are regular expressions, and the recognizer that reads
 * them byte by byte.
 *
 * <p>{@link dev.varve.platform.grammar.cfg.GrammarBuilder} makes a {@link
 * dev.varve.platform.grammar.cfg.Grammar}; {@link dev.varve.platform.grammar.cfg.Recognizer} walks
 * through its {@link dev.varve.platform.grammar.cfg.ParseState}s: Earley's algorithm (1970) above
 * the lazy lexer, without a rule which terminal is meant where several fit. States are immutable
 * and kept, so that what was reached once costs a look-up, and equal situations are one object.
 */
package dev.varve.platform.grammar.cfg;
