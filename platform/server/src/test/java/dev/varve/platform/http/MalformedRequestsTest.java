package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.Json;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Bodies that are nearly right: whatever is wrong with them is the client's fault, never ours. */
@Timeout(300)
class MalformedRequestsTest {
    private static final int REQUESTS = Effort.of("varve.test.fuzz", 60, 400);

    /** Bodies that are right, with most of what may stand in them. */
    private enum Body {
        CHAT(
                "/v1/chat/completions",
                """
                {"model": "small", "messages": [
                  {"role": "system", "content": "S"},
                  {"role": "user", "content": [{"type": "text", "text": "a"}]},
                  {"role": "assistant", "content": null, "reasoning_content": "t", "tool_calls": [
                    {"id": "c", "type": "function",
                     "function": {"name": "f", "arguments": "{\\"b\\": \\"x\\"}"}}]},
                  {"role": "tool", "tool_call_id": "c", "content": "r"}],
                 "tools": [{"type": "function", "function": {"name": "f", "strict": true,
                   "parameters": {"type": "object", "properties": {"b": {"type": "string"}},
                                  "required": ["b"], "additionalProperties": false}}}],
                 "tool_choice": {"type": "function", "function": {"name": "f"}},
                 "stream_options": {"include_usage": true}, "stream": false,
                 "max_tokens": 20, "temperature": 0.5, "top_p": 0.9, "top_k": 5, "min_p": 0.1,
                 "stop": ["x"], "logit_bias": {"5": 1}, "logprobs": true, "top_logprobs": 2,
                 "n": 1, "seed": 3, "presence_penalty": 0.1, "frequency_penalty": 0.1,
                 "thinking": {"type": "enabled", "budget_tokens": 5},
                 "reasoning": {"effort": "low"}, "chat_template_kwargs": {"a": 1},
                 "parallel_tool_calls": false, "cache": true, "cache_scope": "s"}
                """),
        FORM(
                "/v1/chat/completions",
                """
                {"messages": [{"role": "user", "content": "a"}], "response_format":
                  {"type": "json_schema", "json_schema": {"name": "n", "strict": true, "schema":
                    {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1},
                     "b": {"type": "array", "items": {"$ref": "#/$defs/c"}, "maxItems": 3}},
                     "required": ["a"], "$defs": {"c": {"enum": ["x", 1, null]}}}}},
                 "max_tokens": 5}
                """),
        MESSAGES(
                "/v1/messages",
                """
                {"model": "claude-x", "max_tokens": 20, "system": [{"type": "text", "text": "S",
                   "cache_control": {"type": "ephemeral"}}],
                 "messages": [
                  {"role": "user", "content": [{"type": "text", "text": "a"}]},
                  {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "t", "signature": "s"},
                    {"type": "tool_use", "id": "c", "name": "f", "input": {"b": "x"}}]},
                  {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c", "is_error": true,
                     "content": [{"type": "text", "text": "r"}]},
                    {"type": "document", "source": {"type": "text", "data": "d"}}]}],
                 "tools": [{"name": "f", "description": "d", "input_schema":
                   {"type": "object", "properties": {"b": {"type": "string"}}}}],
                 "tool_choice": {"type": "auto", "disable_parallel_tool_use": true},
                 "thinking": {"type": "enabled", "budget_tokens": 5}, "temperature": 1,
                 "output_config": {"effort": "low"}, "stop_sequences": ["x"],
                 "metadata": {"user_id": "u"}}
                """),
        RESPONSES(
                "/v1/responses",
                """
                {"model": "small", "instructions": "S", "input": [
                  {"type": "message", "role": "user", "content": [
                    {"type": "input_text", "text": "a"}]},
                  {"type": "reasoning", "id": "rs_1", "summary": [],
                   "content": [{"type": "reasoning_text", "text": "t"}]},
                  {"type": "function_call", "call_id": "c", "name": "f",
                   "arguments": "{\\"b\\": 1}"},
                  {"type": "function_call_output", "call_id": "c",
                   "output": [{"type": "input_text", "text": "r"}]}],
                 "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"},
                   "strict": false}, {"type": "web_search"},
                   {"type": "namespace", "name": "n", "tools": [
                     {"type": "function", "name": "g", "parameters": {"type": "object"}}]}],
                 "tool_choice": {"type": "function", "name": "f"}, "max_output_tokens": 20,
                 "reasoning": {"effort": "low", "summary": "auto"}, "store": false,
                 "text": {"verbosity": "low"}, "include": ["reasoning.encrypted_content"],
                 "metadata": {"a": "b"}, "parallel_tool_calls": true, "temperature": 1}
                """),
        COMPLETION(
                "/v1/completions",
                """
                {"prompt": ["a", [1, 2]], "max_tokens": 3, "echo": true, "logprobs": 1,
                 "guided_regex": "[ab]+", "n": 2, "stop": "x"}
                """),
        NATIVE(
                "/completion",
                """
                {"prompt": "a", "n_predict": 3, "repeat_penalty": 1.1, "cache_prompt": true,
                 "grammar": "root ::= \\"a\\" | \\"b\\"", "stop": []}
                """),
        COUNT("/v1/messages/count_tokens", MESSAGES.text),
        RENDER("/v1/chat/completions/render", CHAT.text),
        TEMPLATE("/apply-template", CHAT.text),
        TOKENIZE("/tokenize", "{\"content\": \"a\", \"with_pieces\": true}"),
        DETOKENIZE("/detokenize", "{\"tokens\": [1, 2]}");

        private final String path;
        private final String text;

        Body(String path, String text) {
            this.path = path;
            this.text = text;
        }
    }

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    @ParameterizedTest
    @EnumSource(Body.class)
    void malformedRequestsAreNeverServerErrors(Body body) throws Exception {
        engine.says(SmallChat.answer("ok"));
        JsonNode right = Json.MAPPER.readTree(body.text);
        HttpResponse<String> fine = server.post(body.path, body.text);
        assertEquals(200, fine.statusCode(), fine.body());
        int refused = 0;
        for (int seed = 0; seed < REQUESTS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            String sent =
                    random.nextInt(8) == 0
                            ? torn(body.text, random)
                            : Json.write(spoilt(right.deepCopy(), random));

            HttpResponse<String> answer = server.post(body.path, sent);

            assertTrue(
                    answer.statusCode() == 200 || answer.statusCode() / 100 == 4,
                    () -> answer.statusCode() + " for " + sent + ": " + answer.body());
            if (answer.statusCode() != 200) {
                refused++;
                requireShape(body.path, answer, sent);
            }
        }
        System.out.println(REQUESTS + " malformed " + body + " requests: " + refused + " refused");
        assertTrue(refused > REQUESTS / 8, "only " + refused + " were refused");
        assertEquals(200, server.post(body.path, body.text).statusCode());
    }

    private static void requireShape(String path, HttpResponse<String> answer, String sent) {
        JsonNode error = TestServer.json(answer);
        assertFalse(error.at("/error/message").asString("").isEmpty(), sent);
        assertFalse(error.at("/error/type").asString("").isEmpty(), sent);
        assertEquals(path.startsWith("/v1/messages"), error.has("type"), sent);
    }

    /** A text with a piece that is missing, or in another place. */
    private static String torn(String text, SplittableRandom random) {
        int begin = random.nextInt(text.length());
        int end = random.nextInt(begin, text.length());
        return switch (random.nextInt(3)) {
            case 0 -> text.substring(0, begin);
            case 1 -> text.substring(0, begin) + text.substring(end);
            default -> text.substring(0, end) + text.substring(begin);
        };
    }

    /** A tree in which some values are others, or missing. */
    private static JsonNode spoilt(JsonNode tree, SplittableRandom random) {
        for (int changes = 1 + random.nextInt(2); changes > 0; changes--) {
            List<JsonNode> parents = new ArrayList<>();
            collect(tree, parents);
            if (parents.isEmpty()) {
                return tree;
            }
            JsonNode parent = parents.get(random.nextInt(parents.size()));
            if (parent instanceof ObjectNode object) {
                List<String> names = List.copyOf(object.propertyNames());
                String name = names.get(random.nextInt(names.size()));
                if (random.nextInt(6) == 0) {
                    object.remove(name);
                } else {
                    object.set(name, other(random));
                }
            } else if (parent instanceof ArrayNode array) {
                array.set(random.nextInt(array.size()), other(random));
            }
        }
        return tree;
    }

    private static void collect(JsonNode node, List<JsonNode> parents) {
        if (node.isContainer() && !node.isEmpty()) {
            parents.add(node);
            node.forEach(child -> collect(child, parents));
        }
    }

    private static JsonNode other(SplittableRandom random) {
        String[] values = {
            "null",
            "true",
            "false",
            "0",
            "-1",
            "1e400",
            "-0.0",
            "9223372036854775808",
            "0.5",
            "\"\"",
            "\"x\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "[]",
            "{}",
            "[[]]",
            "[null]",
            "[1]",
            "[\"\"]",
            "{\"type\": \"text\"}",
            "{\"type\": null}",
            "{\"a\": {\"b\": []}}",
            "\"auto\"",
            "{\"type\": \"function\"}",
            "[{\"type\": \"text\", \"text\": 1}]",
            "\"" + "y".repeat(5000) + "\""
        };
        return Json.MAPPER.readTree(values[random.nextInt(values.length)]);
    }
}
