/**
 * Grammars in GBNF, the notation of llama.cpp.
 *
 * <p>{@link dev.varve.platform.grammar.gbnf.Gbnf} reads one and gives its rules to a {@link
 * dev.varve.platform.grammar.cfg.GrammarBuilder}. Rules that are regular become terminals.
 */
package dev.varve.platform.grammar.gbnf;
