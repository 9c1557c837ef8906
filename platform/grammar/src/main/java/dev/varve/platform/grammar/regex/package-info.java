/**
 * Regular expressions over bytes and the lazy automaton that reads them.
 *
 * <p>{@link dev.varve.platform.grammar.regex.RegexStore} creates expressions, with intersection and
 * complement; {@link dev.varve.platform.grammar.regex.Lexer} turns several of them into one
 * deterministic automaton, creating states as they are reached, by Brzozowski's derivatives. No
 * state is a dead end.
 */
package dev.varve.platform.grammar.regex;
