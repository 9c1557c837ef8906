package dev.varve.platform.grammar.pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The matches of patterns, by examples. */
class PatternsTest {
    private final Reading reading = new Reading();
    private final Patterns plain =
            new Patterns(new TextRegexBuilder(reading.store(), StringEscaping.PLAIN));
    private final Patterns json =
            new Patterns(new TextRegexBuilder(reading.store(), StringEscaping.JSON));

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            ignoreLeadingAndTrailingWhitespace = true,
            value = {
                "a       ~ bab      ~ true",
                "a       ~ bbb      ~ false",
                "^a      ~ ba       ~ false",
                "^a|b$   ~ xxb      ~ true",
                "^a|b$   ~ axx      ~ true",
                "^a|b$   ~ xaxbx    ~ false",
                "x^a     ~ xa       ~ false",
                "x*^a    ~ a        ~ true",
                "x*^a    ~ xa       ~ false",
                "(^|,)a  ~ b,a      ~ true",
                "(^|,)a  ~ ba       ~ false",
                "a$b     ~ ab       ~ false",
                "a$b?    ~ xa       ~ true",
                "^(a$|b)+$ ~ bba    ~ true",
                "^(a$|b)+$ ~ bab    ~ false",
                "^((?!foo).)*$ ~ barfo ~ true",
                "^((?!foo).)*$ ~ xfoox ~ false",
                "^(?:(?!.*foo)x|b)+foo$ ~ bbfoo ~ true",
                "^(?:(?!.*foo)x|b)+foo$ ~ bxfoo ~ false",
                "^(?:(?:\\b\\w+)* ?)*$ ~ ab cd ~ true",
                "^(?:(?!-)[a-z-]+(?<!-)\\.)+$ ~ a-b.c. ~ true",
                "^(?:(?!-)[a-z-]+(?<!-)\\.)+$ ~ a-.c. ~ false",
                "^(?:(?=a)|b)*ab$ ~ bab ~ true",
                "^\\d{2,3}$ ~ 123   ~ true",
                "^\\d{2,3}$ ~ 1234  ~ false",
                "^[^\\w-]+$ ~ ++    ~ true",
                "^[\\w-.]+$ ~ a-.   ~ true",
                "^.$     ~ 😀       ~ true",
                "^..$    ~ 😀       ~ false",
                "^\\uD83D\\uDE00$ ~ 😀 ~ true",
                "^\\u{1F600}$ ~ 😀  ~ true",
                "^[\\uD83D\\uDE00-\\u{1F64F}]$ ~ 😀 ~ true",
                "^\\p{Lu}\\P{Lu}+$ ~ Über ~ true",
                "^\\p{Script=Greek}+$ ~ λόγος ~ true",
                "^\\p{Script=Greek}+$ ~ logos ~ false",
                "^(?!.*foo).*$ ~ barfo ~ true",
                "^(?!.*foo).*$ ~ xfoo ~ false",
                "^(?=.*\\d)(?=.*[a-z]).{3,}$ ~ ab1 ~ true",
                "^(?=.*\\d)(?=.*[a-z]).{3,}$ ~ abc ~ false",
                "^(?=ab)a$ ~ a      ~ false",
                "\\bcat\\b ~ a cat!  ~ true",
                "\\bcat\\b ~ concat  ~ false",
                "\\Bcat  ~ concat   ~ true",
                "\\Bcat  ~ cat      ~ false",
                "^\\w+\\b.\\w+$ ~ ab-c ~ true",
                "^\\w+\\b.\\w+$ ~ abxc ~ false",
                "(?<!-)$ ~ a-       ~ false",
                "(?<!-)$ ~ -a       ~ true",
                "(?<=^|,)b ~ a,b    ~ true",
                "(?<!^|,)b ~ a,b    ~ false",
                "^a{0}$  ~ ''       ~ true",
                "^${a}   ~ ''       ~ false",
                "^\\${a}$ ~ ${a}    ~ true",
                "^a{,2}$ ~ a{,2}    ~ true",
                "^[]$    ~ ''       ~ false",
                "^[^]$   ~ x        ~ true",
                "^(?:a|b)(?<name>c)$ ~ bc ~ true",
                "''      ~ anything ~ true",
            })
    void patternsAreSearchedInTexts(String pattern, String text, boolean found) {
        assertEquals(found, reading.matches(plain.search(pattern), text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "a|ab  ~ ab ~ true",
                "a     ~ ab ~ false",
                "a|b   ~ b  ~ true",
                "^a$   ~ a  ~ true",
                ".*b   ~ ab ~ true",
            })
    void wholeTextIsMatched(String pattern, String text, boolean matches) {
        assertEquals(matches, reading.matches(plain.whole(pattern), text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "^.$        ~ \\\"     ~ true",
                "^.$        ~ \"       ~ false",
                "^.$        ~ \\       ~ false",
                "^\\\\$     ~ \\\\     ~ true",
                "^\\n$      ~ \\n      ~ true",
                "^\\n$      ~ \\u000a  ~ false",
                "^[\\x1f]$  ~ \\u001F  ~ true",
                "^[\\x1f]$  ~ \\u001f  ~ true",
                "^a$        ~ \\u0061  ~ false",
                "^[^a]$     ~ \\u0061  ~ false",
                "^(?!a).*$  ~ \\u0061  ~ false",
                "^\\/$      ~ /        ~ true",
                "^\\/$      ~ \\/      ~ false",
            })
    void canonicalJsonIsMatched(String pattern, String text, boolean matches) {
        assertEquals(matches, reading.matches(json.search(pattern), text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a",
                "a)",
                "[a",
                "*a",
                "a**",
                "a{2}{3}",
                "{2}",
                "a{3,2}",
                "\\1",
                "(a)\\1",
                "\\k<a>",
                "(?<a>b)\\k<a>",
                "(?i)a",
                "(?P<a>b)",
                "(?>a)",
                "a++",
                "\\",
                "\\A",
                "\\Z",
                "\\x1",
                "\\u12",
                "\\u{110000}",
                "\\p{Nope}",
                "\\pL",
                "[b-a]",
                "(?<=ab)c",
                "^*",
                "\\b+",
                "[[:alpha:]]",
                "\\c1",
                "\\07",
                "(?<1>a)",
                "a{16777217}",
                "\\p{",
                "(?<a"
            })
    void unsupportedPatternsAreRefused(String pattern) {
        assertThrows(PatternException.class, () -> plain.search(pattern));
    }
}
