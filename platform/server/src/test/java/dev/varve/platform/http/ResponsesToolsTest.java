package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.util.List;

/** Tools of {@code /v1/responses}, those of agents among them. */
@Timeout(120)
class ResponsesToolsTest {
    private static final String PARAMETERS =
            "{\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}},"
                    + " \"required\": [\"city\"]}";
    private static final String F = "{\"type\": \"function\", \"name\": \"f\"}";
    private static final String G = "{\"type\": \"function\", \"name\": \"g\"}";
    private static final String CUSTOM =
            "{\"type\": \"custom\", \"name\": \"patch\", \"description\": \"Edits\", \"format\":"
                    + " {\"type\": \"grammar\", \"syntax\": \"lark\", \"definition\": \"start:"
                    + " x\"}}";
    private static final String SPACE =
            "{\"type\": \"namespace\", \"name\": \"mcp__s__\", \"description\": \"S\", \"tools\":"
                    + " ["
                    + F
                    + ", {\"type\": \"function\", \"name\": \"h\"}, {\"type\": \"mcp\"}]}";
    private static final String HOSTED =
            "{\"type\": \"web_search\"}, {\"type\": \"image_generation\"}, {\"type\":"
                    + " \"local_shell\"}, {\"type\": \"tool_search\", \"execution\": \"x\"},"
                    + " {\"type\": \"code_interpreter\", \"container\": {\"type\": \"auto\"}}";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(20_000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    /** The model sees the same as in a chat, round by round. */
    @ParameterizedTest
    @EnumSource(ChatFamily.class)
    void toolRoundEqualsThatOfAChat(ChatFamily family) throws Exception {
        int[] call =
                family.answer(
                        family.thought("Try") + family.call("weather", "city", "Zürich \"HB\""));
        engine.saysInTurn(
                call,
                family.answer(family.thought("Hm") + "Mild."),
                family.answer("x"),
                call,
                family.answer(family.thought("Hm") + "Mild."),
                family.answer("x"));
        String function =
                "\"name\": \"weather\", \"description\": \"W\", \"parameters\": " + PARAMETERS;
        try (TestServer families = TestServer.of(family.served(engine))) {
            AgentClient chat =
                    new AgentClient(
                                    families,
                                    "\"enable_thinking\": true, \"tools\": [{\"type\":"
                                            + " \"function\", \"function\": {"
                                            + function
                                            + "}}]")
                            .adds("{\"role\": \"system\", \"content\": \"Be brief.\"}")
                            .adds("{\"role\": \"user\", \"content\": \"Where?\"}");
            chat.addsResult(chat.asks(true).call(0), "12 C");
            chat.asks(true);
            chat.adds("{\"role\": \"user\", \"content\": \"And?\"}").asks(true);

            ResponsesClient client =
                    new ResponsesClient(
                                    families,
                                    "\"enable_thinking\": true, \"instructions\": \"Be brief.\","
                                            + " \"tools\": [{\"type\": \"function\", "
                                            + function
                                            + ", \"strict\": null}]")
                            .says("Where?");
            JsonNode first = client.asks(true);
            JsonNode made = ResponsesClient.items(first, "function_call").getFirst();
            assertEquals("{\"city\":\"Zürich \\\"HB\\\"\"}", compact(made, "arguments"));
            client.addsResult(made, "12 C").asks(false);
            client.says("And?").asks(true);

            for (int round = 0; round < 3; round++) {
                assertEquals(
                        family.tokenizer().decode(prompt(round), true),
                        family.tokenizer().decode(prompt(round + 3), true));
                assertArrayEquals(prompt(round), prompt(round + 3));
            }
        }
    }

    @Test
    void nonFunctionToolsAreIgnored() throws Exception {
        engine.says(SmallChat.answer("ok"));

        JsonNode response = client("\"tools\": [" + HOSTED + ", " + F + "]").asks(true);

        assertTrue(
                prompt().startsWith("{\"type\": \"function\", \"function\": {\"name\": \"f\"}}\n["),
                prompt());
        assertEquals(1, response.get("tools").size());
        client("\"tools\": [" + HOSTED + "]").asks(true);
        assertTrue(prompt().startsWith("[user]"), prompt());
    }

    @Test
    void customToolIsCalledWithAText() throws Exception {
        engine.saysInTurn(
                SmallChat.answer(SmallChat.call("patch", "{\"input\": \"*** \\\"a\\\"\\n+b\"}")),
                SmallChat.answer("ok"));
        ResponsesClient client = client("\"tools\": [" + CUSTOM + "]");

        JsonNode response = client.asks(true);

        JsonNode call = ResponsesClient.items(response, "custom_tool_call").getFirst();
        assertEquals("patch", call.get("name").stringValue());
        assertEquals("*** \"a\"\n+b", call.get("input").stringValue());
        assertTrue(call.get("id").stringValue().matches("ctc_[0-9a-f]{32}"));
        assertFalse(call.has("arguments"));
        assertTrue(prompt().contains("A text of this grammar (lark):\\nstart: x"), prompt());
        client.addsResult(call, "done").asks(false);
        String id = call.get("call_id").stringValue();
        assertTrue(
                prompt().endsWith(
                                "[assistant]patch{\"input\": \"*** \\\"a\\\"\\n+b\"}\n"
                                        + "[tool patch "
                                        + id
                                        + "]done\n[assistant]"),
                prompt());
    }

    @Test
    void truncatedCustomCallShowsItsText() throws Exception {
        engine.says(
                SmallChat.answer(
                        "<tool_call>{\"name\": \"patch\", \"arguments\": {\"input\": \"abc"));

        JsonNode call =
                client("\"tools\": [" + CUSTOM + "], \"max_output_tokens\": 46")
                        .asks(true)
                        .get("output")
                        .get(0);

        assertEquals("incomplete", call.get("status").stringValue());
        assertEquals("abc", call.get("input").stringValue());
    }

    @Test
    void namespaceToolsKeepUniqueNames() throws Exception {
        engine.saysInTurn(
                SmallChat.answer(
                        SmallChat.call("mcp__s__f", "{}")
                                + SmallChat.call("h", "{}")
                                + SmallChat.call("f", "{}")),
                SmallChat.answer("ok"));
        ResponsesClient client = client("\"tools\": [" + SPACE + ", " + F + "]");

        JsonNode response = client.asks(true);

        List<JsonNode> calls = ResponsesClient.items(response, "function_call");
        assertEquals("f", calls.get(0).get("name").stringValue());
        assertEquals("mcp__s__", calls.get(0).get("namespace").stringValue());
        assertEquals("h", calls.get(1).get("name").stringValue());
        assertEquals("mcp__s__", calls.get(1).get("namespace").stringValue());
        assertEquals("f", calls.get(2).get("name").stringValue());
        assertFalse(calls.get(2).has("namespace"));
        client.asks(false);
        assertTrue(prompt().contains("[assistant]mcp__s__f{}h{}f{}\n"), prompt());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\": \"function\", \"name\": \"g\"}",
                "{\"type\": \"allowed_tools\", \"mode\": \"required\", \"tools\": [{\"type\":"
                        + " \"function\", \"name\": \"g\"}, {\"type\": \"mcp\", \"server_label\":"
                        + " \"x\"}]}"
            })
    void callCanBeRequired(String choice) throws Exception {
        engine.says(
                SmallChat.answer(
                        "<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>"));

        JsonNode response =
                client("\"tools\": [" + F + "," + G + "], \"tool_choice\": " + choice).asks(true);

        assertEquals(
                "g",
                ResponsesClient.items(response, "function_call")
                        .getFirst()
                        .get("name")
                        .stringValue());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"none\" | 0",
                "\"auto\" | 2",
                "null | 2",
                "{\"type\": \"allowed_tools\", \"mode\": \"auto\", \"tools\": [{\"type\":"
                        + " \"function\", \"name\": \"g\"}]} | 2",
                "{\"type\": \"allowed_tools\", \"mode\": \"auto\", \"tools\": []} | 0"
            })
    void toolsAreOfferedUnlessNoneMayBeCalled(String choice, int count) throws Exception {
        engine.says(SmallChat.answer("ok"));

        client("\"tools\": [" + F + "," + G + "], \"tool_choice\": " + choice).asks(true);

        assertEquals(count, prompt().split("\"function\": ", -1).length - 1, prompt());
    }

    @Test
    void onlyAllowedToolsAreCalled() throws Exception {
        engine.says(SmallChat.answer(SmallChat.call("g", "{}")));

        JsonNode response =
                client(
                                "\"tools\": ["
                                        + F
                                        + ","
                                        + G
                                        + "], \"tool_choice\": {\"type\": \"allowed_tools\","
                                        + " \"mode\": \"auto\", \"tools\": [{\"type\":"
                                        + " \"function\", \"name\": \"g\"}]}")
                        .asks(true);

        List<JsonNode> calls = ResponsesClient.items(response, "function_call");
        assertEquals(1, calls.size(), response.toString());
        assertEquals("g", calls.getFirst().get("name").stringValue());
        assertTrue(engine.requests.getLast().choice().constraint().constrains());
    }

    @Test
    void withoutParallelCallsTheResponseEndsAfterTheFirst() throws Exception {
        engine.says(SmallChat.answer(SmallChat.call("f", "{}") + SmallChat.call("g", "{}")));

        JsonNode response =
                client("\"tools\": [" + F + "," + G + "], \"parallel_tool_calls\": false")
                        .asks(true);

        assertEquals(1, response.get("output").size());
    }

    private ResponsesClient client(String fields) {
        return new ResponsesClient(server, fields).says("Hi");
    }

    private int[] prompt(int request) {
        return engine.requests.get(request).prompt().tokens();
    }

    private String prompt() {
        return SmallChat.text(engine.requests.getLast().prompt().tokens());
    }

    private static String compact(JsonNode item, String field) {
        return Json.MAPPER.readTree(item.get(field).stringValue()).toString();
    }
}
