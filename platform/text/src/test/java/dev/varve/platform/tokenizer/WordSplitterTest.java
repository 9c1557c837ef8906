package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.model.PreTokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The expressions are the definition of each pre-tokenizer; words in brackets are what the
 * reference makes of a text.
 */
class WordSplitterTest {
    private static final String QWEN =
            "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\\r"
                    + "\\n"
                    + "\\p{L}\\p{N}]?X+|\\p{N}| ?[^\\sX\\p{N}]+[\\r"
                    + "\\n"
                    + "]*|\\s*[\\r"
                    + "\\n"
                    + "]+|\\s+(?!\\S)|\\s+";
    private static final Pattern QWEN2 =
            pattern(QWEN.replace("[^\\sX", "[^\\s\\p{L}").replace("X", "\\p{L}"));
    private static final Pattern QWEN35 =
            pattern(QWEN.replace("[^\\sX", "[^\\s\\p{L}\\p{M}").replace("X", "[\\p{L}\\p{M}]"));
    private static final Pattern LINES = pattern("[^\\n]+|[\\n]+");

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "Hello  world's 123 x, [Hello][ ][ world]['s][ ][1][2][3][ x]",
                "I'M'll  a\\n"
                        + "\\n"
                        + "  b\\r"
                        + "\\n"
                        + "\\r"
                        + "\\n"
                        + " c, [I]['M]['ll][ ][ a][\\n"
                        + "\\n"
                        + "][ ][ b][\\r"
                        + "\\n"
                        + "\\r"
                        + "\\n"
                        + "][ c]",
                "e\\u0301te\\u0301 cafe\\u0301s, [e\\u0301te\\u0301][ cafe\\u0301s]",
                "foo();\\n\\n\\tbar, [foo][();\\n\\n][\\tbar]",
                "a \\n b, [a][ \\n][ b]",
                "x   \\n\\n   y, [x][   \\n\\n][  ][ y]",
                "`   `, `[   ]`",
                "`  z`, [ ][ z]",
                "$$\\n\\n!, [$$\\n\\n][!]",
                "😶\\u200D🌫\\uFE0F ok, [😶\\u200D🌫][\\uFE0F][ ok]",
                "नमस्ते १२, [नमस्ते][ ][१][२]",
                "it's 'twas 'S 'Re, [it]['s][ '][twas][ '][S][ '][Re]",
                "ſ'ſ, [ſ]['ſ]",
                "tab\\t\\tx, [tab][\\t][\\tx]",
                "end.\\n, [end][.\\n]",
            })
    void qwen35SplitMatchesTheReference(String text, String words) {
        assertEquals(
                unescape(words), bracketed(PreTokenizers.PLATFORM.named("qwen35"), unescape(text)));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "Hello  world's 123 x, [Hello][ ][ world]['s][ ][1][2][3][ x]",
                "I'M'll  a\\n"
                        + "\\n"
                        + "  b\\r"
                        + "\\n"
                        + "\\r"
                        + "\\n"
                        + " c, [I]['M]['ll][ ][ a][\\n"
                        + "\\n"
                        + "][ ][ b][\\r"
                        + "][\\n"
                        + "][\\r"
                        + "][\\n"
                        + "][ c]",
                "e\\u0301te\\u0301 cafe\\u0301s, [e][\\u0301te][\\u0301][ cafe][\\u0301s]",
                "foo();\\n\\n\\tbar, [foo][();][\\n\\n][\\tbar]",
                "a \\n b, [a][ ][\\n][ b]",
                "x   \\n\\n   y, [x][   ][\\n\\n][  ][ y]",
                "`   `, `[   ]`",
                "`  z`, [ ][ z]",
                "$$\\n\\n!, [$$][\\n\\n][!]",
                "😶\\u200D🌫\\uFE0F ok, [😶\\u200D🌫\\uFE0F][ ok]",
                "नमस्ते १२, [नमस][्त][े][ ][१][२]",
                "it's 'twas 'S 'Re, [it]['s][ '][twas][ '][S][ '][Re]",
                "ſ'ſ, [ſ]['ſ]",
                "tab\\t\\tx, [tab][\\t][\\tx]",
                "end.\\n, [end][.][\\n]",
            })
    void lagunaSplitMatchesTheReference(String text, String words) {
        assertEquals(
                unescape(words), bracketed(PreTokenizers.PLATFORM.named("laguna"), unescape(text)));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "Hello  world's 123 x, [Hello  world's 123 x]",
                "I'M'll  a\\n\\n  b\\r\\n\\r\\n c, [I'M'll  a][\\n\\n][  b\\r][\\n][\\r][\\n][ c]",
                "foo();\\n\\n\\tbar, [foo();][\\n\\n][\\tbar]",
                "a \\n b, [a ][\\n][ b]",
                "x   \\n\\n   y, [x   ][\\n\\n][   y]",
                "`  z`, [  z]",
                "end.\\n, [end.][\\n]",
            })
    void lineSplitMatchesTheReference(String text, String words) {
        assertEquals(unescape(words), bracketed(new LineSplitter(), unescape(text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen2", "qwen35", "laguna"})
    void wordsOfRandomTextsMatchTheExpression(String pre) {
        PreTokenizer splitter = PreTokenizers.PLATFORM.named(pre);
        Random random = new Random(4711);
        for (int round = 0; round < 30_000; round++) {
            String text = RandomText.of(random, RandomText.NASTY, random.nextInt(12));

            List<String> words = words(splitter, text);

            assertEquals(expected(pre, text), words, "round " + round + ", text " + escape(text));
        }
    }

    @Test
    void everyCodePointHasTheClassOfTheExpression() {
        List<Pattern> kinds =
                List.of(
                        pattern("[^\\s\\p{L}\\p{M}\\p{N}]"),
                        pattern("\\p{L}"),
                        pattern("\\p{M}"),
                        pattern("\\p{N}"),
                        pattern("\\s"));
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
            if (codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE) {
                String text = Character.toString(codePoint);
                Pattern kind = kinds.get(CharacterKind.of(codePoint));
                if (!kind.matcher(text).matches()) {
                    assertEquals(kind.pattern(), Integer.toHexString(codePoint));
                }
            }
        }
    }

    private static List<String> expected(String pre, String text) {
        return switch (pre) {
            case "qwen2" -> matches(QWEN2, text);
            case "qwen35" -> matches(QWEN35, text);
            default ->
                    matches(LINES, text).stream()
                            .flatMap(line -> matches(QWEN2, line).stream())
                            .toList();
        };
    }

    private static List<String> matches(Pattern pattern, String text) {
        List<String> words = new ArrayList<>();
        for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
            words.add(matcher.group());
        }
        return words;
    }

    private static List<String> words(PreTokenizer splitter, String text) {
        byte[] padded = ("x" + text + "x").getBytes(StandardCharsets.UTF_8);
        List<String> words = new ArrayList<>();
        splitter.split(
                padded,
                1,
                padded.length - 1,
                (from, to) ->
                        words.add(new String(padded, from, to - from, StandardCharsets.UTF_8)));
        return words;
    }

    private static String bracketed(PreTokenizer splitter, String text) {
        return "[" + String.join("][", words(splitter, text)) + "]";
    }

    private static Pattern pattern(String expression) {
        return Pattern.compile(expression, Pattern.UNICODE_CHARACTER_CLASS);
    }

    private static String unescape(String text) {
        return Pattern.compile("\\\\u(....)")
                .matcher(text)
                .replaceAll(escape -> Character.toString(Integer.parseInt(escape.group(1), 16)))
                .translateEscapes();
    }

    private static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        text.chars()
                .forEach(
                        unit ->
                                escaped.append(
                                        unit > 32 && unit < 127
                                                ? (char) unit
                                                : String.format(Locale.ROOT, "\\u%04X", unit)));
        return escaped.toString();
    }
}
