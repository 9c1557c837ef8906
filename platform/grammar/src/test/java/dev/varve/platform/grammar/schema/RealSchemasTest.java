package dev.varve.platform.grammar.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Schemas that people wrote, with values that are valid or not. */
class RealSchemasTest {
    /** Schemas that pass; the others are refused. */
    private static final double PASSING = 0.98;

    private final List<String> refused = new ArrayList<>();
    private final List<String> wronglyAccepted = new ArrayList<>();
    private final List<String> wronglyRejected = new ArrayList<>();

    @Test
    void nearlyAllRealSchemasAreCompiledCorrectly() throws IOException {
        Path file =
                Path.of(System.getProperty("varve.test.shared", ""))
                        .resolve("schemas/real.jsonl.gz");
        assumeTrue(Files.exists(file), "no schemas at varve.test.shared: " + file);

        int count = 0;
        int asked = 0;
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                new GZIPInputStream(Files.newInputStream(file)),
                                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (count++ % Effort.of(4, 1) == 0) {
                    check(CompiledSchema.JSON.readTree(line));
                    asked++;
                }
            }
        }

        System.out.println("of " + asked + " real schemas refused: " + refused);
        assertEquals(List.of(), wronglyAccepted, "values that are not valid");
        assertEquals(List.of(), wronglyRejected, "valid values");
        assertTrue(asked - refused.size() >= PASSING * asked, refused.toString());
    }

    private void check(JsonNode line) {
        String name = line.get("name").stringValue();
        try {
            CompiledSchema schema = new CompiledSchema(line.get("schema"), SchemaOptions.DEFAULT);
            for (JsonNode test : line.get("tests")) {
                boolean accepted = schema.acceptsValue(test.get("data"));
                if (accepted != test.get("valid").booleanValue()) {
                    (accepted ? wronglyAccepted : wronglyRejected)
                            .add(name + " " + test.get("data"));
                }
            }
        } catch (GrammarException | GrammarLimitException e) {
            refused.add(name + ": " + e.getMessage());
        }
    }
}
