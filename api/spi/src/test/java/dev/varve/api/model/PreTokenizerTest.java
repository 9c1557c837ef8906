package dev.varve.api.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;

/** Words from an expression. */
class PreTokenizerTest {
    @ParameterizedTest
    @CsvSource({
        "[a-z]+, ab cd, ab|' '|cd",
        "[a-z]+, ' ab', ' '|ab",
        "[a-z]+, 'ab ', ab|' '",
        "[0-9], 12ü3, 1|2|ü|3",
        "x*, axxb, a|xx|b",
        "x*, '', ''",
        "🦙, ü🦙é🦙, ü|🦙|é|🦙"
    })
    void matchesAndTheTextBetweenThemAreWords(String expression, String text, String words) {
        List<String> found = words(Pattern.compile(expression), text);

        assertEquals(words.replace("'", ""), String.join("|", found));
    }

    @Test
    void wordsOfARandomTextConcatenateToTheText() {
        Random random = new Random(4711);
        String[] parts = {"a", "B", " ", "\n", "7", "ü", "中", "🦙", "-"};
        Pattern expression = Pattern.compile("\\p{L}+| ?\\p{N}|\\s+");
        for (int round = 0; round < 2_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int part = random.nextInt(20); part > 0; part--) {
                text.append(parts[random.nextInt(parts.length)]);
            }

            List<String> words = words(expression, text.toString());

            assertEquals(text.toString(), String.join("", words), "round " + round);
            assertEquals(0, words.stream().filter(String::isEmpty).count(), "round " + round);
        }
    }

    /** The text stands in the middle of a longer one. */
    private static List<String> words(Pattern expression, String text) {
        byte[] bytes = ("ab" + text + "ab").getBytes(StandardCharsets.UTF_8);
        List<String> words = new ArrayList<>();
        int[] at = {2};
        PreTokenizer.matching(expression)
                .split(
                        bytes,
                        2,
                        bytes.length - 2,
                        (begin, end) -> {
                            assertEquals(at[0], begin, text);
                            at[0] = end;
                            words.add(
                                    new String(bytes, begin, end - begin, StandardCharsets.UTF_8));
                        });
        assertEquals(bytes.length - 2, at[0], text);
        return words;
    }
}
