package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.tokenizer.TokenLimit;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

/** Earlier messages in the form that a template expects. */
class HistoryStyleTest {
    private static final Map<String, Object> USER = Map.of("role", "user", "content", "Weather?");

    private static Map<String, Object> call(String id, String city) {
        return Map.of(
                "id",
                id,
                "type",
                "function",
                "function",
                Map.of("name", "get_weather", "arguments", Map.of("city", city)));
    }

    private static Map<String, Object> result(String id, String content) {
        return Map.of(
                "role", "tool", "tool_call_id", id, "name", "get_weather", "content", content);
    }

    private static Map<String, Object> assistant(String content, String thought, Object... calls) {
        return Map.of(
                "role",
                "assistant",
                "content",
                content,
                "reasoning_content",
                thought,
                "tool_calls",
                List.of(calls));
    }

    private static List<?> adapted(String source, List<?> messages) {
        return (List<?>)
                TemplateDialect.of(source).adapted(Map.of("messages", messages)).get("messages");
    }

    @Test
    void otherTemplatesGetTheMessagesAsTheyAre() {
        List<Object> messages =
                List.of(USER, assistant("a", "t", call("x", "Bern"), call("y", "Chur")));

        assertEquals(messages, adapted("<tool_call> arguments", messages));
    }

    @Test
    void eachCallGetsAMessageThatItsResultFollows() {
        List<?> messages =
                adapted(
                        "<|start_header_id|>\"parameters\"",
                        List.of(
                                USER,
                                assistant("Look.", "t", call("x", "Bern"), call("y", "Chur")),
                                result("y", "2"),
                                result("x", "1"),
                                USER));

        assertEquals(
                List.of(
                        USER,
                        assistant("Look.", "t", call("x", "Bern")),
                        result("x", "1"),
                        Map.of(
                                "role",
                                "assistant",
                                "content",
                                "",
                                "tool_calls",
                                List.of(call("y", "Chur"))),
                        result("y", "2"),
                        USER),
                messages);
    }

    @Test
    void emptyListOfCallsIsLeftOut() {
        Map<String, Object> empty =
                Map.of("role", "assistant", "content", "a", "tool_calls", List.of());

        assertEquals(
                List.of(Map.of("role", "assistant", "content", "a")),
                adapted("<|channel|>", List.of(empty)));
    }

    @Test
    void idsOfMistralHaveNineCharactersInCallAndResult() {
        List<?> messages =
                adapted(
                        "[TOOL_CALLS][CALL_ID][ARGS]",
                        List.of(
                                USER,
                                assistant("", "", call("call_0123456789abc", "Bern")),
                                result("call_0123456789abc", "1"),
                                assistant("", "", call("abcdeFGH1", "Bern")),
                                result("abcdeFGH1", "1")));

        String id = (String) ((Map<?, ?>) messages.get(2)).get("tool_call_id");
        assertTrue(id.matches("[A-Za-z0-9]{9}"), id);
        assertEquals(List.of(call(id, "Bern")), ((Map<?, ?>) messages.get(1)).get("tool_calls"));
        assertEquals(result("abcdeFGH1", "1"), messages.get(4));
    }

    @Test
    void reasoningOfMistralIsABlockOfTheContent() {
        List<?> messages =
                adapted(
                        "[SYSTEM_PROMPT][TOOL_CALLS][ARGS][THINK]",
                        List.of(
                                USER,
                                Map.of(
                                        "role",
                                        "assistant",
                                        "content",
                                        "Rain.",
                                        "reasoning_content",
                                        "It rains.")));

        assertEquals(
                Map.of(
                        "role",
                        "assistant",
                        "content",
                        List.of(
                                Map.of("type", "thinking", "thinking", "It rains."),
                                Map.of("type", "text", "text", "Rain."))),
                messages.get(1));
    }

    @Test
    void reasoningOfHarmonyIsThinkingAndReplacesTheContentOfACall() {
        List<?> messages =
                adapted(
                        "<|channel|>",
                        List.of(
                                USER,
                                assistant("Look.", "Why", call("x", "Bern")),
                                result("x", "1"),
                                Map.of(
                                        "role",
                                        "assistant",
                                        "content",
                                        "Rain.",
                                        "reasoning_content",
                                        "So.")));

        Map<?, ?> call = (Map<?, ?>) messages.get(1);
        assertEquals("Why", call.get("thinking"));
        assertEquals("", call.get("content"));
        assertFalse(call.containsKey("reasoning_content"));
        Map<?, ?> last = (Map<?, ?>) messages.get(3);
        assertEquals("So.", last.get("thinking"));
        assertEquals("Rain.", last.get("content"));
    }

    @Test
    void switchOfReasoningHasTheNameThatTheTemplateKnows() {
        Map<String, Object> off = Map.of("enable_thinking", false);

        assertEquals(
                false, TemplateDialect.of("<｜tool▁calls▁begin｜>").adapted(off).get("thinking"));
        assertEquals(0, TemplateDialect.of("<seed:tool_call>").adapted(off).get("thinking_budget"));
        assertEquals("low", TemplateDialect.of("<|channel|>").adapted(off).get("reasoning_effort"));
        assertEquals(off, TemplateDialect.of("<tool_call> arguments").adapted(off));
    }

    @Test
    void responseOfHarmonyEndsLikeOtherMessagesAndContinuesInTheFinalChannel() {
        TemplateAnswers harmony = TemplateAnswers.HARMONY;
        ChatRenderer renderer =
                new ChatRenderer(
                        ChatTemplate.compile(
                                "{% for m in messages %}<|start|>{{ m.role }}<|channel|>"
                                        + "final<|message|>{{ m.content }}{{ '<|end|>' if not"
                                        + " loop.last or add_generation_prompt else '<|return|>'"
                                        + " }}{% endfor %}{% if add_generation_prompt"
                                        + " %}<|start|>assistant{% endif %}"),
                        harmony.tokens);

        assertEquals(
                "<|start|>user<|channel|>final<|message|><|return|><|end|>",
                renderer.text(
                                Map.of(
                                        "messages",
                                        List.of(Map.of("role", "user", "content", "<|return|>")),
                                        "add_generation_prompt",
                                        false))
                        .text());
        assertTrue(
                renderer.render(Map.of("messages", List.of(USER)), "So", TokenLimit.NONE)
                        .text()
                        .endsWith("<|start|>assistant<|channel|>final<|message|>So"));
    }
}
