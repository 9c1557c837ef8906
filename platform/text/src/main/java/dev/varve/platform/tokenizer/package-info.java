/**
 * Text to token ids and back, as the model file says in its {@code tokenizer.*} keys.
 *
 * <p>Start with {@link dev.varve.platform.tokenizer.Tokenizer}. Encoding has three steps: special
 * tokens are cut out of the text ({@code SpecialTokenMatcher}), what is left is split into words
 * ({@code PreTokenizers}), and each word is merged from bytes or characters into tokens ({@code
 * MergeLoop}). All of it works on UTF-8.
 */
package dev.varve.platform.tokenizer;
