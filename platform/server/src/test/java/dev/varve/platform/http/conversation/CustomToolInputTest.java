package dev.varve.platform.http.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts of custom tools, whose arguments come in any parts. */
class CustomToolInputTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"input\": \"a b\"} | a b",
                "{ \"input\" :\"\"} | ``",
                "{\"input\": \"\\\"\\\\\\/\\t\\u00eb\\ud83d\\ude00\"} | \"\\/\të😀",
                "{\"input\": 5} | {\"input\": 5}",
                "{\"x\": 1, \"input\": \"y\"} | y",
                "{} | {}"
            })
    void partsMakeTheWholeText(String arguments, String expected) {
        String text = expected.replace("\\t", "\t");
        for (int size : new int[] {1, 2, 3, 5, 100}) {
            CustomToolInput input = new CustomToolInput();
            StringBuilder all = new StringBuilder();
            for (int from = 0; from < arguments.length(); from += size) {
                String part =
                        input.push(
                                arguments.substring(
                                        from, Math.min(arguments.length(), from + size)));
                assertFalse(
                        !part.isEmpty()
                                && Character.isHighSurrogate(part.charAt(part.length() - 1)),
                        "half of a character");
                all.append(part);
            }
            all.append(input.finish());

            assertEquals(text, all.toString(), "in parts of " + size);
        }
    }
}
