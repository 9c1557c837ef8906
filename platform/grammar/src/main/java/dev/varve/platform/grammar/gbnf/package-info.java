/**
 * Grammars in GBNF, the notation of llama.cpp.
 *
 * <p>{@link dev.varve.platform.grammar.gbnf.Gbnf} parses one and adds its rules to a {@link
 * dev.varve.platform.grammar.cfg.GrammarBuilder}. Regular rules become terminals.
 */
package dev.varve.platform.grammar.gbnf;
