package dev.varve.platform.chat;

import dev.varve.platform.grammar.regex.ByteSet;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.List;
import java.util.regex.Pattern;

/** Patterns for argument names, and for words with a JSON meaning. */
final class UnquotedTextPatterns {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.$-]+");

    /** White space, including Unicode's: all bytes that are not ASCII count as such. */
    private static final ByteSet BLANK = ByteSet.range(0, ' ').or(ByteSet.range(0x80, 0xff));

    private UnquotedTextPatterns() {}

    /** Whether a name consists of letters, digits and a few signs that no markup uses. */
    static boolean isPlain(String name) {
        return PLAIN.matcher(name).matches();
    }

    /** Returns the pattern of all such names. */
    static Regex plain(RegexStore store) {
        ByteSet letters =
                ByteSet.range('a', 'z')
                        .or(ByteSet.range('A', 'Z'))
                        .or(ByteSet.range('0', '9'))
                        .or(ByteSet.of('_'))
                        .or(ByteSet.of('.'))
                        .or(ByteSet.of('$'))
                        .or(ByteSet.of('-'));
        return store.atLeast(store.bytes(letters), 1);
    }

    /**
     * Returns a pattern that matches some words with white space around them; it also matches a few
     * more texts.
     */
    static Regex blankAround(RegexStore store, String... words) {
        Regex blank = store.star(store.bytes(BLANK));
        return store.concat(blank, store.oneOf(List.of(words)), blank);
    }

    /**
     * Returns a pattern of texts that no parser reads as a number, a boolean, null, an object or an
     * array, whatever white space it skips; it excludes some more texts.
     */
    static Regex jsonWord(RegexStore store) {
        ByteSet signs =
                ByteSet.of('+')
                        .or(ByteSet.of('-'))
                        .or(ByteSet.of('.'))
                        .or(ByteSet.of('"'))
                        .or(ByteSet.of('{'))
                        .or(ByteSet.of('['));
        ByteSet first = ByteSet.range('!', '~').and(signs.or(ByteSet.range('0', '9')).complement());
        Regex blank = store.star(store.bytes(BLANK));
        Regex words = store.or(word(store, "true"), word(store, "false"), word(store, "null"));
        return store.and(
                store.concat(store.bytes(first), store.anything()),
                store.not(store.concat(store.or(words, word(store, "none")), blank)));
    }

    /** Returns a pattern of a word in letters of either case. */
    private static Regex word(RegexStore store, String word) {
        Regex regex = store.empty();
        for (char letter : word.toCharArray()) {
            ByteSet cases = ByteSet.of(letter).or(ByteSet.of(Character.toUpperCase(letter)));
            regex = store.concat(regex, store.bytes(cases));
        }
        return regex;
    }
}
