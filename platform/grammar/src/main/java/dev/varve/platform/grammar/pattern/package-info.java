/**
 * Regular expressions over characters, as people write them, turned into expressions over bytes.
 *
 * <p>{@link dev.varve.platform.grammar.pattern.TextRegexBuilder} knows how characters stand in a
 * text, plain or inside a JSON string; {@link dev.varve.platform.grammar.pattern.Patterns} reads
 * the patterns of JSON schemas, {@link dev.varve.platform.grammar.pattern.Formats} knows their
 * formats.
 */
package dev.varve.platform.grammar.pattern;
