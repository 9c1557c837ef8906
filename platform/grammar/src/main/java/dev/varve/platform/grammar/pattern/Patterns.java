package dev.varve.platform.grammar.pattern;

import dev.varve.platform.grammar.regex.Regex;

/**
 * Turns patterns of JSON schemas into expressions: regular expressions of ECMA-262 as {@code
 * RegExp} with the flag {@code u} reads them, but for what annex B allows without it and people
 * write, such as escaped punctuation. They match canonical text alone ({@link TextRegexBuilder}).
 *
 * <p>Everything regular is supported: anchors anywhere, word boundaries, looking ahead, and looking
 * behind by one character. Back references are not, nor flags within the pattern.
 */
public final class Patterns {
    private final TextRegexBuilder text;

    /**
     * @param text how characters stand in the text
     */
    public Patterns(TextRegexBuilder text) {
        this.text = text;
    }

    /**
     * The texts in which a pattern is found anywhere, unless it has anchors.
     *
     * @throws PatternException if the pattern is not valid, or asks for what is not supported
     */
    public Regex search(String pattern) {
        return PatternCompiler.search(text, PatternParser.parse(pattern));
    }

    /**
     * The texts that a pattern matches from their beginning to their end.
     *
     * @throws PatternException if the pattern is not valid, or asks for what is not supported
     */
    public Regex whole(String pattern) {
        return PatternCompiler.whole(text, PatternParser.parse(pattern));
    }
}
