package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;

/** Chats with models whose template shows the dialect. */
@Timeout(60)
class TemplateDialectTest {
    private static final String TOOLS =
            "\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"f\","
                    + " \"parameters\": {\"type\": \"object\", \"properties\": {\"n\":"
                    + " {\"type\": \"integer\"}}}}}]";

    private static final String LLAMA =
            "{% for t in tools or [] %}{{ t | tojson }} {# {\"name\": x, \"parameters\": y} #}"
                    + "{% endfor %}{% for m in messages %}<|start_header_id|>{{ m.role }}: {{"
                    + " m.content }}{% if m.tool_calls is defined %}{% if m.tool_calls | length > 1"
                    + " %}{{ raise_exception('one call only') }}{% endif %}{{"
                    + " m.tool_calls[0].function | tojson }}{% endif %}\n{% endfor %}";

    private static final String HARMONY =
            "Reasoning: {{ reasoning_effort | default('medium') }}{% for t in tools or [] %}{{ t |"
                    + " tojson }}{% endfor %}{% for m in messages %}<|start|>{{ m.role }}"
                    + "<|channel|>final<|message|>{{ m.content }}<|end|>{% endfor %}<|start|>"
                    + "assistant";

    private static final Tokenizer BYTES = TestTokenizers.ofBytes("<|im_end|>");
    private static final Tokenizer CHANNELS =
            TestTokenizers.ofBytes(
                    "<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>");

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void jsonIsACallOnlyIfThereAreTools(boolean hasTools) throws Exception {
        String text = "{\"name\": \"f\", \"parameters\": {\"n\": 1}}";
        engine.says(BYTES.encode(text, true));
        try (TestServer server = SmallChat.byTemplate(engine, BYTES, LLAMA)) {
            JsonNode choice = server.chat(hasTools ? TOOLS : "").at("/choices/0");

            if (hasTools) {
                assertEquals("tool_calls", choice.get("finish_reason").stringValue());
                assertEquals(
                        "{\"n\": 1}",
                        choice.at("/message/tool_calls/0/function/arguments").stringValue());
            } else {
                assertEquals("stop", choice.get("finish_reason").stringValue());
                assertEquals(text, choice.at("/message/content").stringValue());
            }
        }
    }

    @Test
    void parallelCallsOfTheHistoryAreSplit() throws Exception {
        engine.says(BYTES.encode("ok", true));
        String call =
                "{\"id\": \"%s\", \"type\": \"function\", \"function\": {\"name\": \"f\","
                        + " \"arguments\": \"{\\\"n\\\": %s}\"}}";
        try (TestServer server = SmallChat.byTemplate(engine, BYTES, LLAMA)) {
            HttpResponse<String> response =
                    server.post(
                            "/v1/chat/completions",
                            "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}, {\"role\":"
                                    + " \"assistant\", \"tool_calls\": ["
                                    + call.replaceFirst("%s", "a").replace("%s", "1")
                                    + ", "
                                    + call.replaceFirst("%s", "b").replace("%s", "2")
                                    + "]}, {\"role\": \"tool\", \"tool_call_id\": \"a\","
                                    + " \"content\": \"A\"}, {\"role\": \"tool\", \"tool_call_id\":"
                                    + " \"b\", \"content\": \"B\"}]}");

            assertEquals(200, response.statusCode(), response.body());
            String prompt = BYTES.decode(engine.requests.getLast().prompt().tokens(), true);
            assertTrue(prompt.replaceAll("[^12AB]", "").equals("1A2B"), prompt);
        }
    }

    @Test
    void effortIsShownToTheModelAndChannelsAreSeparated() throws Exception {
        engine.says(
                CHANNELS.encode(
                        "<|channel|>analysis<|message|>Why<|end|><|start|>assistant<|channel|>"
                                + "commentary to=functions.f <|constrain|>json<|message|>"
                                + "{\"n\": 1}",
                        true));
        try (TestServer server = SmallChat.byTemplate(engine, CHANNELS, HARMONY)) {
            JsonNode choice =
                    server.chat("\"reasoning_effort\": \"low\", " + TOOLS).at("/choices/0");

            String prompt = CHANNELS.decode(engine.requests.getLast().prompt().tokens(), true);
            assertTrue(prompt.startsWith("Reasoning: low"), prompt);
            assertEquals("Why", choice.at("/message/reasoning_content").stringValue());
            assertEquals("tool_calls", choice.get("finish_reason").stringValue());
            assertEquals("f", choice.at("/message/tool_calls/0/function/name").stringValue());

            server.chat("\"enable_thinking\": false");
            prompt = CHANNELS.decode(engine.requests.getLast().prompt().tokens(), true);
            assertTrue(prompt.startsWith("Reasoning: low"), prompt);
            server.chat("\"chat_template_kwargs\": {\"reasoning_effort\": \"high\"}");
            prompt = CHANNELS.decode(engine.requests.getLast().prompt().tokens(), true);
            assertTrue(prompt.startsWith("Reasoning: high"), prompt);
        }
    }
}
