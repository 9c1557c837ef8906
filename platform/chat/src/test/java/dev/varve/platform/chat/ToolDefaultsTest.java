package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.varve.platform.template.ChatTemplate;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tools that leave out what a template reads are rendered all the same. */
class ToolDefaultsTest {
    private static final String HARMONY =
            "{#<|channel|>#}{% for t in tools %}// {{ t.function.description + '|' }}{% endfor %}";
    private static final String SEED =
            "{#<seed:tool_call>#}{% for t in tools %}{% for name, s in"
                    + " t.function.parameters.properties.items() %}{{ name }} {% endfor %}"
                    + "{{ t.function.description | trim }}|{% endfor %}";

    private static Map<String, Object> tool(Map<String, Object> function) {
        return Map.of("type", "function", "function", function);
    }

    private static String rendered(String source, List<?> tools) {
        return ChatTemplate.compile(source)
                .render(TemplateDialect.of(source).adapted(Map.of("tools", tools)), Set.of())
                .text();
    }

    @Test
    void harmonyRendersToolsWithoutDescription() {
        List<?> tools =
                List.of(
                        tool(Map.of("name", "f")),
                        tool(Map.of("name", "g", "description", "Gets.")));

        assertEquals("// |// Gets.|", rendered(HARMONY, tools));
    }

    @Test
    void seedRendersToolsWithoutParameters() {
        List<?> tools =
                List.of(
                        tool(Map.of("name", "f", "description", "A")),
                        tool(Map.of("description", "B", "parameters", Map.of("type", "object"))),
                        tool(
                                Map.of(
                                        "description",
                                        "C",
                                        "parameters",
                                        Map.of("properties", Map.of("a", Map.of())))));

        assertEquals("A|B|a C|", rendered(SEED, tools));
    }

    @Test
    void otherTemplatesGetTheToolsAsTheyAre() {
        List<?> tools = List.of(tool(Map.of("name", "f")), "no tool");

        assertSame(tools, ToolDefaults.adapted(TemplateMarkup.HERMES, tools));
        assertEquals("no tool", ToolDefaults.adapted(TemplateMarkup.HARMONY, tools).get(1));
    }
}
