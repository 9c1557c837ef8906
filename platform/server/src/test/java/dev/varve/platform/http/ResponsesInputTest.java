package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.http.HttpResponse;

/** The prompt that the server makes from {@code input} and {@code instructions}. */
@Timeout(60)
class ResponsesInputTest {
    private final ScriptedEngine engine =
            new ScriptedEngine().hasContext(4000).says(SmallChat.answer("ok"));
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    /** Items in short: a quote is {@code '}, a message ends with a semicolon. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'Hi' | [user]Hi;",
                "'' | [user];",
                "[{'role': 'user', 'content': ''}] | [user];",
                "[{'type': 'message', 'role': 'user', 'content': [{'type': 'input_text', 'text':"
                        + " 'a'}, {'type': 'text', 'text': 'b'}, {'type': 'output_text', 'text':"
                        + " 'c', 'annotations': []}, {'type': 'refusal', 'refusal': 'd'}]}] |"
                        + " [user]abcd;",
                "[{'role': 'system', 'content': 's'}, {'role': 'user', 'content': 'u'}] |"
                        + " [system]s;[user]u;",
                "[{'role': 'developer', 'content': [{'type': 'input_text', 'text': 's'}]},"
                        + " {'role': 'user', 'content': 'u'}] | [system]s;[user]u;",
                "[{'role': 'user', 'content': 'u'}, {'role': 'developer', 'content': 's'}] |"
                        + " [system]s;[user]u;",
                "[{'role': 'user', 'content': 'u'}, {'type': 'message', 'id': 'msg_1', 'status':"
                        + " 'completed', 'role': 'assistant', 'content': [{'type': 'output_text',"
                        + " 'text': 'a', 'annotations': [], 'logprobs': []}]}, {'role': 'user',"
                        + " 'content': 'v'}] | [user]u;[assistant]a;[user]v;",
                "[{'type': 'reasoning', 'id': 'rs_1', 'summary': [], 'content': [{'type':"
                        + " 'reasoning_text', 'text': 't'}]}, {'type': 'message', 'role':"
                        + " 'assistant', 'content': 'a'}, {'type': 'function_call', 'call_id':"
                        + " 'c', 'name': 'f', 'arguments': '{}'}, {'type':"
                        + " 'function_call_output', 'call_id': 'c', 'output': 'o'}] |"
                        + " [assistant](t)af{};[tool f c]o;",
                "[{'type': 'reasoning', 'id': 'rs_1', 'summary': [{'type': 'summary_text',"
                        + " 'text': 's'}], 'encrypted_content': 'x'}, {'type': 'function_call',"
                        + " 'call_id': 'c', 'name': 'f', 'arguments': ''}, {'type':"
                        + " 'function_call', 'call_id': 'd', 'name': 'g', 'arguments': '{}'},"
                        + " {'type': 'function_call_output', 'call_id': 'd', 'output': [{'type':"
                        + " 'input_text', 'text': 'o'}, {'type': 'input_text', 'text': 'p'}]},"
                        + " {'type': 'function_call_output', 'call_id': 'c', 'output': ''}] |"
                        + " [assistant](s)f{}g{};[tool g d]op;[tool f c];",
                "[{'type': 'reasoning', 'id': 'rs_1', 'summary': []}, {'role': 'user',"
                        + " 'content': 'u'}] | [user]u;",
                "[{'role': 'user', 'content': 'u'}, {'type': 'web_search_call', 'id': 'w',"
                        + " 'status': 'completed', 'action': {'type': 'search', 'query': 'q'}},"
                        + " {'type': 'never_seen', 'id': 'n'}, {'role': 'assistant', 'content':"
                        + " 'a'}, {'type': 'compaction', 'encrypted_content': 'x'}, {'role':"
                        + " 'assistant', 'content': 'b'}, {'role': 'user', 'content': 'v'}] |"
                        + " [user]u;[assistant]ab;[user]v;",
                "[{'type': 'local_shell_call', 'id': 'l', 'call_id': 'c', 'status': 'completed',"
                        + " 'action': {'type': 'exec', 'command': ['ls']}}, {'type':"
                        + " 'local_shell_call_output', 'id': 'c', 'output': 'a'}] |"
                        + " [assistant]local_shell{'type': 'exec', 'command': ['ls']};[tool"
                        + " local_shell c]a;",
                "[{'type': 'custom_tool_call', 'call_id': 'c', 'name': 'p', 'input': 'i'},"
                        + " {'type': 'custom_tool_call_output', 'call_id': 'c', 'output': 'o'}] |"
                        + " [assistant]p{'input': 'i'};[tool p c]o;",
                "[{'type': 'function_call_output', 'call_id': 'c', 'output': 'o'}] | [tool"
                        + " unknown c]o;"
            })
    void itemsAreMessages(String input, String prompt) throws Exception {
        post(", \"input\": " + input.strip().replace('\'', '"'));

        assertEquals(
                prompt.strip().replace('\'', '"').replace(";", "\n") + "[assistant]", prompt());
    }

    @Test
    void instructionsComeFirst() throws Exception {
        post(", \"instructions\": \"Be brief.\", \"input\": \"Hi\"");
        assertEquals("[system]Be brief.\n[user]Hi\n[assistant]", prompt());

        post(", \"instructions\": \"\", \"input\": \"Hi\"");
        assertEquals("[user]Hi\n[assistant]", prompt());
    }

    @Test
    void changingBillingHeaderDoesNotChangeThePrompt() throws Exception {
        for (int i = 0; i < 2; i++) {
            post(
                    ", \"instructions\": \"x-anthropic-billing-header: "
                            + i
                            + "\\nBe brief.\", \"input\": \"x-anthropic-billing-header: 5\"");
        }

        assertArrayEquals(
                engine.requests.get(0).prompt().tokens(), engine.requests.get(1).prompt().tokens());
        assertEquals(
                "[system]x-anthropic-billing-header:\nBe brief.\n"
                        + "[user]x-anthropic-billing-header: 5\n[assistant]",
                prompt());
    }

    private void post(String fields) throws Exception {
        HttpResponse<String> answer =
                server.post("/v1/responses", "{\"max_output_tokens\": 9" + fields + "}");
        assertEquals(200, answer.statusCode(), answer.body());
    }

    private String prompt() {
        return SmallChat.text(engine.requests.getLast().prompt().tokens());
    }
}
