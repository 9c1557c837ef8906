package dev.varve.platform.template;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.template.TemplateCases.Outcome;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Small templates with the results that Python's Jinja2 3.1 gave for them. */
class SnippetTest {
    @TestFactory
    Stream<DynamicTest> snippetsRenderAsInPython() {
        return cases("snippets.json");
    }

    /** Random expressions and statements out of a grammar. */
    @TestFactory
    Stream<DynamicTest> generatedTemplatesRenderAsInPython() {
        return cases("generated.json");
    }

    private static Stream<DynamicTest> cases(String name) {
        JsonNode file = TemplateCases.resource(name);
        Map<String, Object> variables = TemplateCases.plain(file.path("variables"));
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode node : file.path("cases")) {
            String source = node.path("source").asString();
            tests.add(
                    DynamicTest.dynamicTest(
                            name + " " + tests.size(),
                            () -> {
                                Outcome actual = Outcome.of(source, variables);

                                assertEquals(Outcome.expected(node), actual, () -> source);
                            }));
        }
        return tests.stream();
    }
}
