package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.List;

@Timeout(60)
class ToolCallsTest {
    private static final String F =
            "{\"type\": \"function\", \"function\": {\"name\": \"f\", \"parameters\":"
                    + " {\"type\": \"object\", \"properties\": {\"b\": {\"type\": \"string\"},"
                    + " \"a\": {\"type\": \"integer\"}}}}}";
    private static final String G = "{\"type\": \"function\", \"function\": {\"name\": \"g\"}}";
    private static final String CALL = "<tool_call>\n{\"name\": \"";
    private static final String G_CALL = CALL + "g\", \"arguments\": {}}\n</tool_call>";
    private static final String TOOLS = "\"tools\": [" + F + ", " + G + "]";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void textPrecedesCallsAndCallsAreInOrder(boolean stream) throws Exception {
        engine.says(
                SmallChat.answer(
                        "I look." + SmallChat.call("f", "{\"a\": 1}") + SmallChat.call("g", "{}")));

        AgentClient.Answer answer = ask(TOOLS, stream);

        assertEquals("tool_calls", answer.finishReason());
        assertEquals("I look.", answer.message().get("content").stringValue());
        assertEquals(2, answer.message().get("tool_calls").size());
        assertEquals("f", answer.call(0).at("/function/name").stringValue());
        assertEquals(1, arguments(answer.call(0)).get("a").intValue());
        assertEquals("g", answer.call(1).at("/function/name").stringValue());
        assertEquals("{}", answer.call(1).at("/function/arguments").stringValue());
        assertFalse(answer.call(0).get("id").equals(answer.call(1).get("id")));
    }

    @Test
    void streamedCallStartsWithItsNameAndContinuesWithFragments() throws Exception {
        engine.says(SmallChat.answer(SmallChat.call("f", "{\"b\": \"xyz\"}")));

        String stream = post(TOOLS + ", \"stream\": true").body();

        List<JsonNode> parts =
                TestServer.events(stream).stream()
                        .map(event -> event.at("/choices/0/delta/tool_calls/0"))
                        .filter(JsonNode::isObject)
                        .toList();
        JsonNode first = parts.getFirst();
        assertEquals(0, first.get("index").intValue());
        assertTrue(first.get("id").stringValue().matches("call_[0-9a-f]{32}"), first.toString());
        assertEquals("function", first.get("type").stringValue());
        assertEquals("f", first.at("/function/name").stringValue());
        assertEquals("", first.at("/function/arguments").stringValue());
        assertTrue(parts.size() > 3, stream);
        for (JsonNode part : parts.subList(1, parts.size())) {
            assertEquals(List.of("index", "function"), List.copyOf(part.propertyNames()));
            assertEquals(List.of("arguments"), List.copyOf(part.get("function").propertyNames()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void withoutParallelCallsTheResponseEndsAfterTheFirst(boolean stream) throws Exception {
        engine.says(
                SmallChat.answer(
                        SmallChat.call("f", "{\"b\": \"}\\\"]\", \"a\": 2}")
                                + SmallChat.call("g", "{}")
                                + " and more"));

        AgentClient.Answer answer = ask(TOOLS + ", \"parallel_tool_calls\": false", stream);

        assertEquals("tool_calls", answer.finishReason());
        assertTrue(answer.message().get("content").isNull(), answer.toString());
        assertEquals(1, answer.message().get("tool_calls").size());
        assertEquals("}\"]", arguments(answer.call(0)).get("b").stringValue());
    }

    @Test
    void callOfAnUndeclaredToolStaysText() throws Exception {
        String call = SmallChat.call("h", "{}");
        engine.says(SmallChat.answer(call));

        AgentClient.Answer answer = ask(TOOLS, false);

        assertEquals("stop", answer.finishReason());
        assertEquals(call, answer.message().get("content").stringValue());
        assertFalse(answer.message().has("tool_calls"));
    }

    @Test
    void withoutToolsMarkupIsText() throws Exception {
        String call = SmallChat.call("f", "{}");
        engine.says(SmallChat.answer(call));

        assertEquals(call, ask("", false).message().get("content").stringValue());
    }

    @Test
    void callTruncatedByTheLimitFinishesWithLength() throws Exception {
        engine.says(SmallChat.answer(SmallChat.call("f", "{\"b\": \"xyz\"}")));

        AgentClient.Answer answer = ask(TOOLS + ", \"max_tokens\": 40", true);

        assertEquals("length", answer.finishReason());
    }

    @Test
    void logprobsComeWithCalls() throws Exception {
        int[] tokens = SmallChat.answer(SmallChat.call("g", "{}"));
        engine.says(tokens);

        List<JsonNode> events =
                TestServer.events(post(TOOLS + ", \"logprobs\": true, \"stream\": true").body());

        assertEquals(
                tokens.length,
                events.stream()
                        .mapToInt(event -> event.at("/choices/0/logprobs/content").size())
                        .sum());
    }

    @Test
    void templateGetsToolsAsSent() throws Exception {
        engine.says(SmallChat.answer("ok"));

        ask(TOOLS, false);

        assertTrue(prompt().startsWith(F + "\n" + G + "\n"), prompt());
    }

    @ParameterizedTest
    @ValueSource(strings = {"parameters", "input_schema"})
    void bareFunctionIsRenderedLikeAnyOther(String schema) throws Exception {
        engine.says(SmallChat.answer(SmallChat.call("f", "{}")));

        AgentClient.Answer answer =
                ask(
                        "\"tools\": [{\"name\": \"f\", \"description\": null, \""
                                + schema
                                + "\": {\"type\": \"object\"}}]",
                        false);

        assertTrue(
                prompt().startsWith(
                                "{\"type\": \"function\", \"function\": {\"name\": \"f\","
                                        + " \"parameters\": {\"type\": \"object\"}}}\n"),
                prompt());
        assertEquals("f", answer.call(0).at("/function/name").stringValue());
    }

    @Test
    void toolChoiceNoneHidesTools() throws Exception {
        String call = SmallChat.call("f", "{}");
        engine.says(SmallChat.answer(call));

        AgentClient.Answer answer = ask(TOOLS + ", \"tool_choice\": \"none\"", false);

        assertTrue(prompt().startsWith("[user]"), prompt());
        assertEquals(call, answer.message().get("content").stringValue());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"type\": \"function\", \"function\": {\"name\": \"g\"}}",
                "{\"type\": \"function\", \"name\": \"g\"}",
                "{\"type\": \"tool\", \"name\": \"g\"}"
            })
    void namedToolCallIsForced(String choice) throws Exception {
        engine.says(SmallChat.answer(G_CALL));

        AgentClient.Answer answer = ask(TOOLS + ", \"tool_choice\": " + choice, true);

        assertEquals("tool_calls", answer.finishReason());
        assertEquals("g", answer.call(0).at("/function/name").stringValue());
        assertEquals("{}", answer.call(0).at("/function/arguments").stringValue());
    }

    @Test
    void requiredCallIsForcedBehindTheReasoning() throws Exception {
        engine.says(
                SmallChat.answer(
                        "hm</think>\n\n" + CALL + "f\", \"arguments\": {\"a\": 3}}\n</tool_call>"));

        AgentClient.Answer answer =
                ask(TOOLS + ", \"tool_choice\": \"required\", \"enable_thinking\": true", false);

        assertEquals("tool_calls", answer.finishReason());
        assertEquals("hm", answer.message().get("reasoning_content").stringValue());
        assertEquals("f", answer.call(0).at("/function/name").stringValue());
        assertEquals(3, arguments(answer.call(0)).get("a").intValue());
    }

    /** The name is chosen among the declared ones, the arguments among those of the schema. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "h\", \"arguments\": {}}\n</tool_call>",
                "f\", \"arguments\": {\"a\": \"3\"}}\n</tool_call>"
            })
    void invalidRequiredCallIsDropped(String call) throws Exception {
        engine.says(SmallChat.answer(CALL + call));

        AgentClient.Answer answer = ask(TOOLS + ", \"tool_choice\": \"required\"", false);

        assertFalse(answer.toString().contains("\"3\""), answer.toString());
        assertFalse(answer.toString().contains("\"h\""), answer.toString());
    }

    @Test
    void strictToolWithAnUnsupportedSchemaIsRefusedWithItsPath() throws Exception {
        HttpResponse<String> answer =
                post(
                        "\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"f\","
                            + " \"strict\": true, \"parameters\": {\"type\": \"object\","
                            + " \"properties\": {\"a\": {\"$ref\": \"https://x.example\"}}}}}]");

        assertEquals(400, answer.statusCode(), answer.body());
        JsonNode error = TestServer.json(answer).get("error");
        assertEquals("tools", error.get("param").stringValue());
        assertTrue(
                error.get("message")
                        .stringValue()
                        .startsWith("tools at /0/function/parameters/properties/a/$ref: "),
                answer.body());
    }

    @Test
    void onlyToolIsForcedByNameWhenACallIsRequired() throws Exception {
        engine.says(SmallChat.answer(G_CALL));

        AgentClient.Answer answer =
                ask("\"tools\": [" + G + "], \"tool_choice\": \"required\"", false);

        assertEquals("g", answer.call(0).at("/function/name").stringValue());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"tools\": {} | tools",
                "\"tools\": [5] | tools[0]",
                "\"tools\": [{\"type\": \"web_search\"}] | tools[0].type",
                "\"tools\": [{\"type\": \"function\"}] | tools[0].function",
                "\"tools\": [{\"function\": {\"name\": \"a b\"}}] | tools[0].function.name",
                "\"tools\": [{\"function\": {\"name\": \"\"}}] | tools[0].function.name",
                "\"tools\": [{\"function\": {}}] | tools[0].function.name",
                "\"tools\": [{\"name\": \"f\"}, {\"function\": {\"name\": \"f\"}}] |"
                        + " tools[1].function.name",
                "\"tools\": [{\"name\": \"f\", \"parameters\": []}] |"
                        + " tools[0].function.parameters",
                "\"tools\": [{\"name\": \"f\", \"parameters\": \"{}\"}] |"
                        + " tools[0].function.parameters",
                "\"tool_choice\": \"required\" | tool_choice",
                "\"tools\": [], \"tool_choice\": {\"type\": \"function\", \"name\": \"f\"} |"
                        + " tool_choice",
                "\"tools\": [{\"name\": \"f\"}], \"tool_choice\": {\"type\": \"function\","
                        + " \"function\": {\"name\": \"x\"}} | tool_choice",
                "\"tools\": [{\"name\": \"f\"}], \"tool_choice\": \"maybe\" | tool_choice",
                "\"tool_choice\": 5 | tool_choice",
                "\"parallel_tool_calls\": \"no\" | parallel_tool_calls"
            })
    void invalidToolIsNamed(String fields, String param) throws Exception {
        HttpResponse<String> response = post(fields.strip());

        assertEquals(400, response.statusCode(), response.body());
        assertEquals(param, TestServer.json(response).at("/error/param").stringValue());
    }

    @Test
    void nullsEqualAbsent() throws Exception {
        engine.says(SmallChat.answer("ok"));

        AgentClient.Answer answer =
                ask(
                        "\"tools\": null, \"tool_choice\": null, \"parallel_tool_calls\": null,"
                                + " \"reasoning\": null, \"thinking\": null, \"thinking_budget\":"
                                + " null, \"enable_thinking\": null, \"reasoning_effort\": null,"
                                + " \"chat_template_kwargs\": {\"enable_thinking\": null}",
                        false);

        assertEquals("ok", answer.message().get("content").stringValue());
        assertTrue(prompt().endsWith("[assistant]"), prompt());
    }

    @Test
    void modelWithoutToolSupportReportsTheReason() throws Exception {
        try (TestServer noMarkup =
                        SmallChat.server(engine, SmallChat.TEMPLATE, SmallChat.noCalls());
                TestServer noTemplate =
                        SmallChat.server(
                                engine, SmallChat.TEMPLATE_WITHOUT_TOOLS, SmallChat.calls())) {
            String dialect = refusal(noMarkup.chat(TOOLS));
            String template = refusal(noTemplate.chat(TOOLS));

            assertTrue(dialect.contains("tool-call syntax"), dialect);
            assertTrue(template.contains("chat template"), template);
            engine.says(SmallChat.answer("ok"));
            JsonNode without = noMarkup.chat(TOOLS + ", \"tool_choice\": \"none\"");
            assertEquals("ok", without.at("/choices/0/message/content").stringValue());
        }
    }

    @Test
    void propsReportToolSupport() throws Exception {
        try (TestServer noMarkup =
                        SmallChat.server(engine, SmallChat.TEMPLATE, SmallChat.noCalls());
                TestServer noTemplate =
                        SmallChat.server(
                                engine, SmallChat.TEMPLATE_WITHOUT_TOOLS, SmallChat.calls())) {
            assertTrue(TestServer.json(server.get("/props")).at("/tools/supported").booleanValue());
            assertTrue(
                    TestServer.json(server.get("/props"))
                            .at("/reasoning/supported")
                            .booleanValue());
            for (TestServer other : List.of(noMarkup, noTemplate)) {
                assertFalse(
                        TestServer.json(other.get("/props")).at("/tools/supported").booleanValue());
            }
        }
    }

    private static String refusal(JsonNode answer) {
        return answer.at("/error/message").asString("no error: " + answer);
    }

    private AgentClient.Answer ask(String fields, boolean stream) throws Exception {
        return new AgentClient(server, fields)
                .adds("{\"role\": \"user\", \"content\": \"Hi\"}")
                .asks(stream);
    }

    private HttpResponse<String> post(String fields) throws Exception {
        return server.post("/v1/chat/completions", TestServer.chatBody(fields));
    }

    private String prompt() {
        return SmallChat.text(engine.requests.getLast().prompt().tokens());
    }

    private static JsonNode arguments(JsonNode call) {
        return Json.MAPPER.readTree(call.at("/function/arguments").stringValue());
    }
}
