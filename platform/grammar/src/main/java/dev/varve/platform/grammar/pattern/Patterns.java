package dev.varve.platform.grammar.pattern;

import dev.varve.platform.grammar.regex.Regex;

/**
 * Compiles patterns of JSON schemas to expressions: regular expressions of ECMA-262 as {@code
 * RegExp} with the flag {@code u} reads them, plus common syntax that annex B permits without the
 * flag, such as escaped punctuation. They match only canonical text ({@link TextRegexBuilder}).
 *
 * <p>All regular features are supported: anchors anywhere, word boundaries, lookahead, and
 * lookbehind by one character. Back references and flags within the pattern are not supported.
 */
public final class Patterns {
    private final TextRegexBuilder text;

    /**
     * @param text encoding of characters in the text
     */
    public Patterns(TextRegexBuilder text) {
        this.text = text;
    }

    /**
     * The texts that contain a match of a pattern, unless anchors restrict its position.
     *
     * @throws PatternException if the pattern is invalid, or needs an unsupported feature
     */
    public Regex search(String pattern) {
        return PatternCompiler.search(text, PatternParser.parse(pattern));
    }

    /**
     * The texts that a pattern matches from their beginning to their end.
     *
     * @throws PatternException if the pattern is invalid, or needs an unsupported feature
     */
    public Regex whole(String pattern) {
        return PatternCompiler.whole(text, PatternParser.parse(pattern));
    }
}
