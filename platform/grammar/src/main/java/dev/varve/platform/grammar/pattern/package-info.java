/**
 * Regular expressions over characters, compiled to expressions over bytes.
 *
 * <p>{@link dev.varve.platform.grammar.pattern.TextRegexBuilder} encodes characters in a text,
 * plain or inside a JSON string; {@link dev.varve.platform.grammar.pattern.Patterns} compiles the
 * patterns of JSON schemas, {@link dev.varve.platform.grammar.pattern.Formats} holds their formats.
 */
package dev.varve.platform.grammar.pattern;
