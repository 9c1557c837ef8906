package dev.varve.platform.grammar.pattern;

import dev.varve.platform.grammar.regex.ByteSet;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds byte expressions of characters. For one thread at a time.
 *
 * <p>In JSON a character can be written in several ways. {@link #characters} accepts all of them;
 * all other methods accept only <em>canonical</em> text: characters as such, except the quote, the
 * backslash and controls as {@code \" \\ \b \f \n \r \t} or, if there is no such letter, {@code
 * \}{@code u00xx}. An expression of canonical text may be complemented only within {@link
 * #canonical}; otherwise the complement would contain other spellings of the excluded text.
 */
public final class TextRegexBuilder {
    private static final String SHORT = "\"\\\b\f\n\r\t";
    private static final String SHORT_LETTERS = "\"\\bfnrt";
    private static final CodePointSet CONTROLS = CodePointSet.range(0, 0x1F);
    private static final CodePointSet RAW =
            CodePointSet.ALL.minus(CONTROLS.union(CodePointSet.of("\"\\")));

    private final RegexStore store;
    private final StringEscaping encoding;
    private final Map<CodePointSet, Regex> characters = new HashMap<>();
    private final Regex any;

    /**
     * @param store creates the expressions
     */
    public TextRegexBuilder(RegexStore store, StringEscaping encoding) {
        this.store = store;
        this.encoding = encoding;
        any =
                encoding == StringEscaping.PLAIN
                        ? character(CodePointSet.ALL)
                        : store.or(Utf8Expressions.of(store, RAW), escapes());
    }

    /** The store that creates the expressions. */
    public RegexStore store() {
        return store;
    }

    /** One character of a set, canonically. */
    public Regex character(CodePointSet set) {
        return characters.computeIfAbsent(
                set,
                key ->
                        encoding == StringEscaping.PLAIN
                                ? Utf8Expressions.of(store, key)
                                : canonicalJson(key));
    }

    /**
     * From {@code least} to {@code most} characters, in any spelling; {@link Integer#MAX_VALUE} is
     * no limit.
     */
    public Regex characters(int least, int most) {
        return store.repeat(any, least, most);
    }

    /** Any text in canonical spelling. */
    public Regex canonical() {
        return store.star(character(CodePointSet.ALL));
    }

    /** A text, canonically; nothing if it has an unpaired surrogate. */
    public Regex literal(String value) {
        Regex[] parts =
                value.codePoints()
                        .mapToObj(codePoint -> character(CodePointSet.of(codePoint)))
                        .toArray(Regex[]::new);
        return store.concat(parts);
    }

    private Regex canonicalJson(CodePointSet set) {
        List<Regex> choices = new ArrayList<>();
        choices.add(Utf8Expressions.of(store, set.intersect(RAW)));
        ByteSet letters = ByteSet.NONE;
        for (int i = 0; i < SHORT.length(); i++) {
            if (set.contains(SHORT.charAt(i))) {
                letters = letters.or(ByteSet.of(SHORT_LETTERS.charAt(i)));
            }
        }
        choices.add(store.concat(store.literal("\\"), store.bytes(letters)));
        for (int control = 0; control < ' '; control++) {
            if (set.contains(control) && SHORT.indexOf(control) < 0) {
                choices.add(
                        store.concat(store.literal("\\u00"), hex(control >> 4), hex(control & 15)));
            }
        }
        return store.or(choices);
    }

    /** Every escape of a character, and pairs of escapes that encode one character. */
    private Regex escapes() {
        Regex digit = hexDigits(0, 15);
        Regex beforeSurrogates =
                store.or(
                        store.concat(hexDigits(0, 12), digit),
                        store.concat(hexDigits(14, 15), digit),
                        store.concat(hex(13), hexDigits(0, 7)));
        Regex pair =
                store.concat(
                        store.literal("u"),
                        hex(13),
                        hexDigits(8, 11),
                        digit,
                        digit,
                        store.literal("\\u"),
                        hex(13),
                        hexDigits(12, 15),
                        digit,
                        digit);
        ByteSet letters = ByteSet.of('/');
        for (char letter : SHORT_LETTERS.toCharArray()) {
            letters = letters.or(ByteSet.of(letter));
        }
        return store.concat(
                store.literal("\\"),
                store.or(
                        store.bytes(letters),
                        store.concat(store.literal("u"), beforeSurrogates, digit, digit),
                        pair));
    }

    private Regex hex(int digit) {
        return hexDigits(digit, digit);
    }

    /** One digit of several, in either case. */
    private Regex hexDigits(int first, int last) {
        ByteSet set = ByteSet.NONE;
        for (int digit = first; digit <= last; digit++) {
            char lower = Character.forDigit(digit, 16);
            set = set.or(ByteSet.of(lower)).or(ByteSet.of(Character.toUpperCase(lower)));
        }
        return store.bytes(set);
    }
}
