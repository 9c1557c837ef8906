package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.PreTokenizer;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The expressions are the definition of each pre-tokenizer; words in brackets are what the
 * reference makes of a text.
 */
class WordSplitterTest {
    /** Random texts for each expression. */
    private static final int ROUNDS = Effort.of(1_500, 20_000);

    /** Characters of a word for which a scan of quadratic cost exceeds the time limit. */
    private static final int LONG_WORD = Effort.of(250_000, 1_000_000);

    private static final String CONTRACTION =
            "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
    private static final String PREFIX = "[^\\r\\n\\p{L}\\p{N}]?";
    private static final String CAPITAL = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
    private static final String SMALL = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";
    private static final String LINES_OR_SPACES = "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    private static final String END = "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*" + LINES_OR_SPACES;
    private static final String END_WITH_SLASHES =
            "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*" + LINES_OR_SPACES;
    private static final String QWEN2 = CONTRACTION + "|" + PREFIX + "\\p{L}+|\\p{N}" + END;
    private static final String QWEN35 =
            CONTRACTION
                    + "|"
                    + PREFIX
                    + "[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*"
                    + LINES_OR_SPACES;
    private static final String LLAMA3 = CONTRACTION + "|" + PREFIX + "\\p{L}+|\\p{N}{1,3}" + END;
    private static final String TEKKEN =
            PREFIX
                    + CAPITAL
                    + "*"
                    + SMALL
                    + "+|"
                    + PREFIX
                    + CAPITAL
                    + "+"
                    + SMALL
                    + "*|\\p{N}"
                    + END_WITH_SLASHES;
    private static final String GPT_4O =
            PREFIX
                    + CAPITAL
                    + "*"
                    + SMALL
                    + "+"
                    + CONTRACTION
                    + "?|"
                    + PREFIX
                    + CAPITAL
                    + "+"
                    + SMALL
                    + "*"
                    + CONTRACTION
                    + "?|\\p{N}{1,3}"
                    + END_WITH_SLASHES;
    private static final String SEED =
            CONTRACTION
                    + "|"
                    + PREFIX
                    + "\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}\\r\\n]+"
                    + LINES_OR_SPACES;
    private static final String GPT2 =
            "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
    private static final String DEEPSEEK_V3 =
            "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_\\x60{|}~][A-Za-z]+"
                    + "|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
                    + "| ?[\\p{P}\\p{S}]+[\\r\\n]*"
                    + LINES_OR_SPACES;
    private static final String EAST_ASIAN = "[\\u4E00-\\u9FA5\\u0800-\\u4E00\\uAC00-\\uD7FF]+";

    /** The expressions of a name: each splits the pieces that the one before leaves. */
    private static final Map<String, List<String>> EXPRESSIONS =
            Map.ofEntries(
                    Map.entry("qwen2", List.of(QWEN2)),
                    Map.entry("qwen35", List.of(QWEN35)),
                    Map.entry("laguna", List.of("[^\\n]+|[\\n]+", QWEN2)),
                    Map.entry("llama-bpe", List.of(LLAMA3)),
                    Map.entry("glm4", List.of(LLAMA3)),
                    Map.entry("tekken", List.of(TEKKEN)),
                    Map.entry("gpt-4o", List.of(GPT_4O)),
                    Map.entry("seed-coder", List.of(SEED)),
                    Map.entry("gpt-2", List.of(GPT2)),
                    Map.entry("jina-v2-code", List.of(GPT2)),
                    Map.entry("smollm", List.of("\\p{N}", GPT2)),
                    Map.entry(
                            "deepseek-v3",
                            List.of(
                                    "\\p{N}{1,3}",
                                    "[\\u4E00-\\u9FA5\\u3040-\\u309F\\u30A0-\\u30FF]+",
                                    DEEPSEEK_V3)),
                    Map.entry(
                            "deepseek-coder",
                            List.of(
                                    "[\\r\\n]",
                                    "\\s?\\p{L}+",
                                    "\\s?\\p{P}+",
                                    EAST_ASIAN,
                                    "\\p{N}")),
                    Map.entry(
                            "deepseek-llm",
                            List.of(
                                    "[\\r\\n]",
                                    "\\s?[\\p{Lu}\\p{Ll}\\p{Lt}]+",
                                    "\\s?[!-/:-~\\uFF01-\\uFF0F\\uFF1A-\\uFF5E"
                                            + "\\u2018-\\u201F\\u3000-\\u3002]+",
                                    "\\s+$",
                                    EAST_ASIAN,
                                    "\\p{N}+")));

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
        assertEquals(unescape(words), bracketed(splitter("qwen35"), unescape(text)));
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
        assertEquals(unescape(words), bracketed(splitter("laguna"), unescape(text)));
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

    static Set<String> names() {
        return new TreeSet<>(EXPRESSIONS.keySet());
    }

    @ParameterizedTest
    @MethodSource("names")
    void wordsOfRandomTextsMatchTheExpression(String pre) {
        PreTokenizer splitter = splitter(pre);
        List<Pattern> passes =
                EXPRESSIONS.get(pre).stream().map(WordSplitterTest::pattern).toList();
        Random random = new Random(4711);
        for (int round = 0; round < ROUNDS; round++) {
            String text = RandomText.of(random, RandomText.NASTY, random.nextInt(12));

            List<String> words = words(splitter, text);

            int at = round;
            assertEquals(expected(passes, text), words, () -> "round " + at + ": " + escape(text));
        }
    }

    @Test
    void guideListsAllNames() throws IOException {
        Path guide = Path.of(System.getProperty("varve.test.root"), "docs", "plugin-guide.md");
        String text = Files.readString(guide);

        for (String name : PreTokenizers.PLATFORM.names()) {
            assertTrue(text.contains("`" + name.replace("*", "") + "`"), name);
        }
    }

    @Test
    void namesOfOneRowSplitAlike() {
        for (List<String> row :
                List.of(
                        List.of("llama3", "llama-v3", "llama-bpe", "falcon3", "pixtral", "lfm2"),
                        List.of("midm-2.0", "glm4", "chatglm-bpe", "dbrx", "smaug-bpe"),
                        List.of("qwen2", "deepseek-r1-qwen", "hunyuan", "solar-open", "megrez"),
                        List.of("qwen2", "stablelm2"),
                        List.of("gpt-4o", "llama4", "kanana2", "minimax-m2"),
                        List.of("deepseek-v3", "hunyuan-dense", "joyai-llm"),
                        List.of("gpt-2", "olmo", "phi-2", "exaone4", "modern-bert", "jina-es"),
                        List.of("smollm", "starcoder", "refact", "command-r", "codeshell"),
                        List.of("smollm", "exaone"))) {
            for (String name : row) {
                assertSame(splitter(row.getFirst()).getClass(), splitter(name).getClass(), name);
                assertEquals(
                        words(splitter(row.getFirst()), "it'S 1234 aB/\n c"),
                        words(splitter(name), "it'S 1234 aB/\n c"),
                        name);
            }
        }
    }

    /** A scan that begins anew for each character would take hours. */
    @ParameterizedTest
    @MethodSource("names")
    @Timeout(60)
    void longWordsAreScannedInLinearTimeWithoutMuchStack(String pre) {
        PreTokenizer splitter = splitter(pre);
        for (String unit :
                List.of(
                        "a", "A", "\u0301", "A\u0301", "你A", "你", "1", " ", "\n", " \n", "'",
                        "\u0000")) {
            byte[] text = unit.repeat(LONG_WORD / unit.length()).getBytes(StandardCharsets.UTF_8);
            int[] end = {0};

            splitter.split(text, 0, text.length, (from, to) -> end[0] = to);

            assertEquals(text.length, end[0], escape(unit));
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

    private static PreTokenizer splitter(String pre) {
        return PreTokenizers.PLATFORM.named(pre).splitter();
    }

    private static List<String> expected(List<Pattern> passes, String text) {
        List<String> pieces = text.isEmpty() ? List.of() : List.of(text);
        for (Pattern pass : passes) {
            pieces = pieces.stream().flatMap(piece -> isolated(pass, piece).stream()).toList();
        }
        return pieces;
    }

    /** The matches, and the text between them. */
    private static List<String> isolated(Pattern pattern, String text) {
        List<String> words = new ArrayList<>();
        int at = 0;
        for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
            if (at < matcher.start()) {
                words.add(text.substring(at, matcher.start()));
            }
            words.add(matcher.group());
            at = matcher.end();
        }
        if (at < text.length()) {
            words.add(text.substring(at));
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
