package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.template.ChatTemplate;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Templates of model files after repair. */
class StoredTemplateTest {
    private static final String BEGIN =
            "{%- set ns = namespace(system_prompt=system) -%}{{ bos }}{{ ns.system_prompt }}";
    private static final String CALLS =
            "{{ '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜><｜tool▁sep｜>' if false }}";

    private static final Map<String, Object> TOOL =
            Map.of("function", Map.of("name", "f", "parameters", Map.of("type", "object")));

    private static String rendered(String source, String system, Optional<List<Object>> tools) {
        return new ChatRenderer(
                        ChatTemplate.compile(StoredTemplate.repaired(source)),
                        TemplateAnswers.DEEPSEEK.tokens)
                .text(
                        Map.of(
                                "messages",
                                List.of(Map.of("role", "user", "content", "Hi")),
                                "bos",
                                "[",
                                "system",
                                system,
                                "tools",
                                tools.orElse(List.of())))
                .text();
    }

    @Test
    void needlessRefusalsAreRemovedFromASource() {
        String harmony =
                "{{- raise_exception(\"You have passed a message containing <|channel|> tags in the"
                        + " content field. Instead 'x' (y).\") }}";
        String mistral =
                "{{- raise_exception('Assistant message must have a string or a list of chunks in"
                        + " content or a list of tool calls.') }}";
        String other = "{{- raise_exception('Only text and thinking chunks are supported.') }}";

        assertEquals(
                "{{- '' }}{{- '' }}" + other, StoredTemplate.repaired(harmony + mistral + other));
    }

    @Test
    void templateOfDeepSeekShowsTools() {
        String format =
                "\nIMPORTANT: ALWAYS adhere to this exact format for tool use:\n"
                        + "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>%s<｜tool▁call▁end｜>"
                        + "{additional_tool_calls}<｜tool▁calls▁end｜>\n";
        String tool =
                "## Tools\nYou have access to the following tools:\n\n### f\nDescription: \n\n"
                        + "Parameters: {\"type\": \"object\"}\n";
        String bare = "tool_call_name<｜tool▁sep｜>tool_call_arguments";
        String fenced = "function<｜tool▁sep｜>tool_call_name\n```json\ntool_call_arguments\n```";

        assertEquals(
                "[Be brief.\n\n" + tool + format.replace("%s", bare),
                rendered(BEGIN + CALLS, "Be brief.", Optional.of(List.of(TOOL))));
        assertEquals(
                "[" + tool + format.replace("%s", fenced),
                rendered(BEGIN + CALLS + "{# ```json #}", "", Optional.of(List.of(TOOL))));
        assertEquals("[Be brief.", rendered(BEGIN + CALLS, "Be brief.", Optional.empty()));
    }

    @Test
    void templateThatShowsToolsOrHasOtherCallsStaysAsItIs() {
        for (String source :
                List.of(BEGIN + CALLS + "{{ tools }}", BEGIN + "{{ '<tool_call> arguments' }}")) {
            assertEquals(source, StoredTemplate.repaired(source));
        }
    }
}
