package dev.varve.platform.grammar.pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;

/** The patterns of schemas that people published. */
class RealPatternsTest {
    private static final Path SCHEMAS = Path.of("..", "..", "shared", "schemas", "real.jsonl.gz");

    @Test
    void realPatternsAreSupportedExceptBackReferences() throws IOException {
        assumeTrue(Files.exists(SCHEMAS), "the collected schemas are not here");
        Reading reading = new Reading();
        Patterns patterns =
                new Patterns(new TextRegexBuilder(reading.store(), StringEscaping.JSON));

        Set<String> refused = new TreeSet<>();
        for (String pattern : collect()) {
            try {
                reading.lexer(patterns.search(pattern)).isAlive(0);
            } catch (PatternException e) {
                refused.add(e.getMessage().replaceAll(" at index \\d+", ""));
            }
        }

        assertEquals(Set.of("a back reference is not supported"), refused);
    }

    private static Set<String> collect() throws IOException {
        Set<String> patterns = new TreeSet<>();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                new GZIPInputStream(Files.newInputStream(SCHEMAS)),
                                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                collect(JsonMapper.shared().readTree(line).get("schema"), patterns);
            }
        }
        return patterns;
    }

    private static void collect(JsonNode node, Set<String> into) {
        JsonNode pattern = node.path("pattern");
        if (pattern.isString()) {
            into.add(pattern.stringValue());
        }
        node.path("patternProperties").propertyNames().forEach(into::add);
        node.forEach(child -> collect(child, into));
    }
}
