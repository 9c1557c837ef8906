package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.PreTokenizer;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Words and ids of each pre-tokenizer, over one published vocabulary. The words follow the
 * published expressions; the ids are those of the reference.
 */
class GoldenPreTokenizerTest {
    private static final Pattern ESCAPED_UNIT = Pattern.compile("\\\\u([0-9a-fA-F]{4})");

    /**
     * Pre-tokenizers whose ids are compared in each build; the words of all are. A tokenizer with
     * the vocabulary takes 0.2 s, and the ids of equal words differ only if they ignore merges.
     */
    private static final Set<String> WITH_IDS =
            Set.of("deepseek-v3", "gpt-2", "llama-bpe", "tekken");

    private static VocabularyData vocabulary;

    @BeforeAll
    static void load() {
        vocabulary = GoldenVocabulary.data("llama-bpe");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dbrx",
                "deepseek-coder",
                "deepseek-v3",
                "glm4",
                "gpt-2",
                "gpt-4o",
                "hunyuan",
                "hunyuan-dense",
                "llama-bpe",
                "minimax-m2",
                "olmo",
                "pixtral",
                "qwen2",
                "refact",
                "seed-coder",
                "smollm",
                "starcoder",
                "tekken"
            })
    void wordsAndIdsMatchTheReference(String pre) throws IOException {
        PreTokenizer splitter = PreTokenizers.PLATFORM.named(pre).splitter();
        GoldenVocabulary.Suite suite = GoldenVocabulary.suite("pre-" + pre);
        assertTrue(suite.ids().size() > 60, "suite of " + suite.ids().size());

        if (Effort.isFull() || WITH_IDS.contains(pre)) {
            assertIds(suite, Tokenizer.of(named(pre)));
        }
        List<List<String>> words = words(pre);
        assertEquals(suite.texts(), words.stream().map(List::getFirst).toList());
        for (List<String> textAndWords : words) {
            String text = textAndWords.getFirst();

            assertEquals(textAndWords.subList(1, textAndWords.size()), split(splitter, text), text);
        }
    }

    private static void assertIds(GoldenVocabulary.Suite suite, Tokenizer tokenizer) {
        for (int index = 0; index < suite.ids().size(); index++) {
            String text = suite.texts().get(index);

            assertArrayEquals(
                    suite.ids().get(index),
                    tokenizer.encode(text, false),
                    "text " + index + ": " + text);
        }
    }

    private static VocabularyData named(String pre) {
        return new VocabularyData(
                vocabulary.model(),
                pre,
                vocabulary.tokens(),
                vocabulary.types(),
                vocabulary.merges(),
                vocabulary.scores(),
                vocabulary.ids(),
                vocabulary.rules(),
                vocabulary.suppressed());
    }

    private static List<String> split(PreTokenizer splitter, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        List<String> words = new ArrayList<>();
        splitter.split(
                bytes,
                0,
                bytes.length,
                (from, to) ->
                        words.add(new String(bytes, from, to - from, StandardCharsets.UTF_8)));
        return words;
    }

    /** Reads JSON with one string a line: each text, followed by its words. */
    private static List<List<String>> words(String pre) throws IOException {
        List<List<String>> texts = new ArrayList<>();
        for (String line :
                Files.readAllLines(GoldenVocabulary.file("pre-" + pre + ".words.json"))) {
            String stripped = line.replaceFirst("^ *(\"text\": *)?", "");
            if (!stripped.startsWith("\"") || stripped.startsWith("\"words\":")) {
                continue;
            }
            if (line.contains("\"text\": ")) {
                texts.add(new ArrayList<>());
            }
            texts.getLast().add(unquote(stripped));
        }
        return texts;
    }

    private static String unquote(String quoted) {
        String content = quoted.substring(1, quoted.lastIndexOf('"'));
        return ESCAPED_UNIT
                .matcher(content)
                .replaceAll(
                        unit ->
                                Matcher.quoteReplacement(
                                        control((char) Integer.parseInt(unit.group(1), 16))))
                .translateEscapes();
    }

    /** The character, in a form that is not an escape for what follows. */
    private static String control(char unit) {
        return unit == '\\' ? "\\\\" : Character.toString(unit);
    }
}
