/**
 * Text to token ids and back, as the model file describes it in its {@code tokenizer.*} keys.
 *
 * <p>Start with {@link dev.varve.platform.tokenizer.Tokenizer}. Encoding has three steps: special
 * tokens are separated from the text ({@code SpecialTokens}), the rest is split into words ({@code
 * PreTokenizers}), and each word is merged from bytes or characters into tokens ({@code
 * MergeLoop}). Algorithms that know no words merge lines or whole texts ({@code MergeAlgorithm}).
 * All steps work on UTF-8.
 */
package dev.varve.platform.tokenizer;
