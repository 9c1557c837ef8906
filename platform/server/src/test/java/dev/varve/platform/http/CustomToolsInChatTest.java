package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.List;

/** Custom tools and {@code allowed_tools} of chat completions. */
@Timeout(60)
class CustomToolsInChatTest {
    private static final String TOOLS =
            "'tools': [{'type': 'custom', 'custom': {'name': 'patch', 'description': 'Changes"
                    + " files', 'format': {'type': 'grammar', 'grammar': {'syntax': 'regex',"
                    + " 'definition': '[ab\\\\n"
                    + "]+|x y?'}}}}, {'type': 'function', 'function': {'name': 'f', 'parameters':"
                    + " {'type': 'object'}}}]";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    private HttpResponse<String> post(String fields) throws Exception {
        return server.post("/v1/chat/completions", TestServer.chatBody(fields.replace('\'', '"')));
    }

    private String prompt() {
        return SmallChat.text(engine.requests.getLast().prompt().tokens());
    }

    private static final String TWO_CALLS =
            call("patch", "{\"input\": \"a\\nb\"}") + call("f", "{\"x\": 1}");

    /** A call as the grammar of calls demands it, which also has the line breaks. */
    private static String call(String name, String arguments) {
        return SmallChat.call(name, arguments)
                .replace("<tool_call>", "<tool_call>\n")
                .replace("</tool_call>", "\n</tool_call>");
    }

    @Test
    void customToolCallHasItsText() throws Exception {
        engine.says(SmallChat.answer(TWO_CALLS));

        HttpResponse<String> response = post(TOOLS);

        assertEquals(200, response.statusCode(), response.body());
        JsonNode choice = TestServer.json(response).at("/choices/0");
        assertEquals("tool_calls", choice.get("finish_reason").stringValue());
        JsonNode first = choice.at("/message/tool_calls/0");
        assertEquals("custom", first.get("type").stringValue());
        assertEquals("{\"name\":\"patch\",\"input\":\"a\\nb\"}", first.get("custom").toString());
        assertFalse(first.has("function"));
        assertEquals(
                "{\"x\": 1}", choice.at("/message/tool_calls/1/function/arguments").stringValue());
        assertTrue(prompt().contains("\"name\": \"patch\""), prompt());
        assertTrue(prompt().contains("^(?:[ab\\\\n]+|x y?)$"), prompt());
    }

    @Test
    void textOfACustomToolMatchesItsGrammar() throws Exception {
        engine.says(SmallChat.answer(call("patch", "{\"input\": \"ac\"}")));

        HttpResponse<String> response = post(TOOLS);

        // The engine ends at a token that the grammar does not allow.
        JsonNode call = TestServer.json(response).at("/choices/0/message/tool_calls/0");
        assertEquals("a", call.at("/custom/input").stringValue(), response.body());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type': 'grammar', 'grammar': {'syntax': 'lark', 'definition': 'start: X'}}"
                        + " | tools[0].custom.format.grammar.syntax | lark is not supported",
                "{'type': 'grammar', 'grammar': {'definition': 'start: X'}}"
                        + " | tools[0].custom.format.grammar.syntax | lark is not supported",
                "{'type': 'grammar', 'grammar': {'syntax': 'peg', 'definition': 'x'}}"
                        + " | tools[0].custom.format.grammar.syntax | expected regex",
                "{'type': 'grammar', 'grammar': {'syntax': 'regex'}}"
                        + " | tools[0].custom.format.grammar.definition | missing",
                "{'type': 'grammar', 'grammar': {'syntax': 'regex', 'definition': '(a'}}"
                        + " | tools | pattern",
                "{'type': 'json'} | tools[0].custom.format.type | expected text or grammar"
            })
    void unsupportedFormatIsNamed(String format, String param, String expected) throws Exception {
        HttpResponse<String> response =
                post(
                        "'tools': [{'type': 'custom', 'custom': {'name': 'p', 'format': "
                                + format
                                + "}}]");

        assertEquals(400, response.statusCode(), response.body());
        JsonNode error = TestServer.json(response).get("error");
        assertEquals(param, error.get("param").stringValue(), response.body());
        assertTrue(error.get("message").stringValue().contains(expected), response.body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", 'format': {'type': 'text'}"})
    void textOfAnyFormIsAccepted(String format) throws Exception {
        engine.says(SmallChat.answer(SmallChat.call("p", "{\"input\": \"Zoë\"}")));

        HttpResponse<String> response =
                post("'tools': [{'type': 'custom', 'custom': {'name': 'p'" + format + "}}]");

        assertEquals(
                "Zoë",
                TestServer.json(response)
                        .at("/choices/0/message/tool_calls/0/custom/input")
                        .stringValue(),
                response.body());
    }

    @Test
    void streamedCustomToolCallStartsWithItsNameAndHasItsText() throws Exception {
        engine.says(SmallChat.answer(TWO_CALLS));

        String stream = post(TOOLS + ", 'stream': true").body();

        StringBuilder input = new StringBuilder();
        StringBuilder arguments = new StringBuilder();
        for (JsonNode event : TestServer.events(stream)) {
            for (JsonNode call : event.at("/choices/0/delta/tool_calls")) {
                boolean custom = call.get("index").intValue() == 0;
                assertEquals(custom, call.has("custom"), stream);
                input.append(call.at("/custom/input").asString(""));
                arguments.append(call.at("/function/arguments").asString(""));
            }
        }
        assertEquals("a\nb", input.toString());
        assertEquals("{\"x\": 1}", arguments.toString());
        // Each part comes as soon as it is generated, not only at the end.
        assertTrue(stream.indexOf("\"input\":\"a\"") < stream.indexOf("\"name\":\"f\""), stream);
        assertTrue(stream.contains("\"type\":\"custom\",\"custom\":{\"name\":\"patch\""), stream);
    }

    @Test
    void customToolCallIsAcceptedAsHistory() throws Exception {
        engine.says(SmallChat.answer("ok"));
        String messages =
                "{'messages': [{'role': 'user', 'content': 'a'}, {'role': 'assistant',"
                        + " 'tool_calls': [{'id': 'c1', 'type': 'custom', 'custom': {'name':"
                        + " 'patch', 'input': 'x y'}}]}, {'role': 'tool', 'tool_call_id': 'c1',"
                        + " 'content': 'done'}], "
                        + TOOLS
                        + "}";

        HttpResponse<String> response =
                server.post("/v1/chat/completions", messages.replace('\'', '"'));

        assertEquals(200, response.statusCode(), response.body());
        assertTrue(prompt().contains("patch{\"input\": \"x y\"}"), prompt());
        assertTrue(prompt().contains("[tool patch c1]done"), prompt());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type': 'allowed_tools', 'allowed_tools': {'mode': 'auto', 'tools': [{'type':"
                        + " 'function', 'function': {'name': 'f'}}]}}",
                "{'type': 'allowed_tools', 'mode': 'auto', 'tools': [{'type': 'function', 'name':"
                        + " 'f'}]}"
            })
    void onlyAllowedToolsAreCalled(String choice) throws Exception {
        engine.saysInTurn(
                SmallChat.answer(SmallChat.call("f", "{\"x\": 1}")),
                SmallChat.answer(SmallChat.call("patch", "{\"input\": \"x\"}")));

        HttpResponse<String> allowed = post(TOOLS + ", 'tool_choice': " + choice);
        HttpResponse<String> other = post(TOOLS + ", 'tool_choice': " + choice);

        assertEquals(200, allowed.statusCode(), allowed.body());
        assertEquals(
                "f",
                TestServer.json(allowed)
                        .at("/choices/0/message/tool_calls/0/function/name")
                        .stringValue());
        // The grammar forces the other name.
        assertFalse(other.body().contains("patch"), other.body());
        assertTrue(prompt().contains("\"name\": \"patch\""), prompt());
    }

    /** Otherwise the prompt would miss the prefix cache whenever the choice changes. */
    @Test
    void choiceOfAllowedToolsDoesNotChangeThePrompt() throws Exception {
        engine.says(SmallChat.answer("no"));
        post(TOOLS);
        String all = prompt();

        post(
                TOOLS
                        + ", 'tool_choice': {'type': 'allowed_tools', 'mode': 'auto', 'tools':"
                        + " [{'type': 'function', 'name': 'f'}]}");

        assertEquals(all, prompt());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type': 'custom', 'custom': {'name': 'patch'}}",
                "{'type': 'allowed_tools', 'allowed_tools': {'mode': 'required', 'tools': [{'type':"
                        + " 'custom', 'custom': {'name': 'patch'}}]}}"
            })
    void customToolCanBeRequired(String choice) throws Exception {
        engine.says(SmallChat.answer(TWO_CALLS));

        HttpResponse<String> response =
                post(TOOLS + ", 'parallel_tool_calls': false, 'tool_choice': " + choice);

        assertEquals(200, response.statusCode(), response.body());
        JsonNode calls = TestServer.json(response).at("/choices/0/message/tool_calls");
        assertEquals(1, calls.size(), response.body());
        assertEquals("patch", calls.at("/0/custom/name").stringValue());
        assertEquals("a\nb", calls.at("/0/custom/input").stringValue());
        assertTrue(
                engine.requests.getLast().choice().constraint().constrains(), "the call is forced");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type': 'allowed_tools', 'allowed_tools': {'mode': 'auto'}}"
                        + " | tool_choice.allowed_tools.tools",
                "{'type': 'allowed_tools', 'allowed_tools': {'mode': 'x', 'tools': []}}"
                        + " | tool_choice.allowed_tools.mode",
                "{'type': 'allowed_tools', 'mode': 'auto'} | tool_choice.tools",
                "{'type': 'allowed_tools', 'mode': 'x', 'tools': []} | tool_choice.mode",
                "{'type': 'allowed_tools'} | tool_choice.allowed_tools.tools",
                "{'type': 'allowed_tools', 'allowed_tools': {'mode': 'auto', 'tools': [{'type':"
                        + " 'function', 'function': {'name': 'g'}}]}} | tool_choice",
                "{'type': 'allowed_tools', 'allowed_tools': {'mode': 'required', 'tools': []}}"
                        + " | tool_choice",
                "{'type': 'custom', 'custom': {'name': 'g'}} | tool_choice",
                "{'type': 'custom'} | tool_choice",
                "'allowed_tools' | tool_choice.allowed_tools.mode"
            })
    void invalidToolChoiceIsNamed(String choice, String param) throws Exception {
        HttpResponse<String> response = post(TOOLS + ", 'tool_choice': " + choice);

        assertEquals(400, response.statusCode(), response.body());
        assertEquals(param, TestServer.json(response).at("/error/param").stringValue());
    }

    @Test
    void otherKindsOfToolsAreRefused() throws Exception {
        for (String tool :
                List.of(
                        "{'type': 'web_search'}",
                        "{'type': 'custom'}",
                        "{'type': 'custom', 'custom': {'name': 'a b'}}")) {
            assertEquals(400, post("'tools': [" + tool + "]").statusCode(), tool);
        }
    }
}
