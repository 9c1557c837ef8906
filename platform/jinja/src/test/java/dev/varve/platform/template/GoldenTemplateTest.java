package dev.varve.platform.template;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.template.TemplateCases.Outcome;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The templates of the supported families give, byte for byte, what Python's Jinja2 gives. */
class GoldenTemplateTest {
    @TestFactory
    Stream<DynamicTest> everyFamilyRendersItsGoldenConversations() throws IOException {
        Path folder = TemplateCases.sharedTemplates();
        List<DynamicTest> tests = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".golden.json"))
                            .sorted()
                            .toList()) {
                for (JsonNode golden : TemplateCases.JSON.readTree(Files.readString(file))) {
                    tests.add(test(folder, golden, golden.path("case").asString()));
                }
            }
        }
        assertTrue(tests.size() >= 75, "golden cases: " + tests.size());
        return tests.stream();
    }

    /**
     * Odd conversations: nested schemas, missing and null fields, content parts, stray tool results
     * and roles.
     */
    @TestFactory
    Stream<DynamicTest> everyFamilyRendersOddConversations() {
        Path folder = TemplateCases.sharedTemplates();
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode conversation : TemplateCases.resource("conversations.json")) {
            tests.add(test(folder, conversation, "conversation " + tests.size()));
        }
        return tests.stream();
    }

    private static DynamicTest test(Path folder, JsonNode node, String name) {
        String template = node.path("template").asString();
        return DynamicTest.dynamicTest(
                template + ": " + name,
                () -> {
                    String source = Files.readString(folder.resolve(template));

                    Outcome actual = Outcome.of(source, TemplateCases.plain(node.path("inputs")));

                    assertEquals(
                            Outcome.expected(node), actual, () -> node.path("inputs").toString());
                });
    }
}
