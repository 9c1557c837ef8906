package dev.varve.platform.grammar.pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.platform.grammar.regex.Lexer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Valid and invalid texts of each format, by examples and those of the JSON Schema Test Suite. */
class FormatsTest {
    private static final Path SUITE =
            Path.of("..", "..", "shared", "schemas", "suite", "tests", "optional", "format");

    /** Valid by the suite, and deliberately left out: see the classes of the formats. */
    private static final Set<String> LEFT_OUT =
            Set.of(
                    "1985-04-12T00:59:59.999999999999999Z",
                    "//",
                    "http://[V1.fe]",
                    "user@cafe\u0301.com",
                    "cafe\u0301@example.com",
                    "\u0085@example.com",
                    "\uFFFF@example.com",
                    "\uD835\uDD4F@example.com");

    private final Reading reading = new Reading();
    private final Formats formats =
            new Formats(new TextRegexBuilder(reading.store(), StringEscaping.PLAIN));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "date",
                "time",
                "date-time",
                "duration",
                "email",
                "idn-email",
                "hostname",
                "idn-hostname",
                "ipv4",
                "ipv6",
                "uri",
                "uri-reference",
                "iri",
                "iri-reference",
                "uuid",
                "json-pointer",
                "relative-json-pointer",
                "uri-template"
            })
    void formatsAgreeWithTheTestSuite(String format) {
        Path file = SUITE.resolve(format + ".json");
        assumeTrue(Files.exists(file), "the JSON Schema Test Suite is not here");
        Lexer lexer = reading.lexer(formats.of(format).orElseThrow());

        List<String> wrong = new ArrayList<>();
        for (JsonNode group : JsonMapper.shared().readTree(file.toFile())) {
            for (JsonNode test : group.get("tests")) {
                JsonNode data = test.get("data");
                if (data.isString() && !agrees(format, lexer, test)) {
                    wrong.add(test.get("valid") + " " + data);
                }
            }
        }

        assertEquals(List.of(), wrong);
    }

    private static boolean agrees(String format, Lexer lexer, JsonNode test) {
        String text = test.get("data").stringValue();
        boolean expected = test.get("valid").booleanValue();
        boolean actual = Reading.matches(lexer, text.getBytes(StandardCharsets.UTF_8));
        return actual == expected || !actual && isLeftOut(format, text);
    }

    /** Of international names nearly all examples are of letters with a rule of their own. */
    private static boolean isLeftOut(String format, String text) {
        return LEFT_OUT.contains(text)
                || text.startsWith("xn--")
                || format.equals("idn-hostname") && !text.chars().allMatch(c -> c < 0x80);
    }

    @ParameterizedTest
    @CsvSource({
        "date, 2024-02-29, true",
        "date, 0000-01-01, false",
        "date-time, 2016-12-31T23:59:60Z, true",
        "date-time, 2017-01-01T00:59:60+01:00, true",
        "date-time, 2016-12-30T23:59:60Z, false",
        "idn-hostname, münchen.de, true",
        "idn-hostname, 例え.テスト, true",
        "idn-hostname, пример.испытание, true",
        "uri, http:, false",
        "uri, file:///tmp/x, true",
        "email, root@localhost, true",
    })
    void formatsMatchTheirDefinitions(String format, String text, boolean valid) {
        assertEquals(valid, reading.matches(formats.of(format).orElseThrow(), text));
    }

    @Test
    void nonRegularFormatsAreNotClaimed() {
        assertTrue(formats.of("regex").isEmpty());
    }
}
