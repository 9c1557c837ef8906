package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
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

/** {@code /v1/responses}: each byte of an answer is a token, so that all are cut everywhere. */
@Timeout(60)
class ResponsesTest {
    private static final String TOOLS =
            "\"tools\": [{\"type\": \"function\", \"name\": \"f\", \"parameters\": {\"type\":"
                    + " \"object\", \"properties\": {\"b\": {\"type\": \"string\"}}}, \"strict\":"
                    + " false}, {\"type\": \"function\", \"name\": \"g\", \"parameters\": null,"
                    + " \"strict\": null}]";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    @Test
    void streamHasItsEventsInOrder() throws Exception {
        engine.says(SmallChat.answer("hm</think>\n\nI" + SmallChat.call("g", "{}")));

        String stream = client(TOOLS + ", \"enable_thinking\": true").posts(true).body();

        ResponsesClient.ended(stream);
        assertEquals(
                List.of(
                        "created",
                        "in_progress",
                        "output_item.added",
                        "content_part.added",
                        "reasoning_text.delta",
                        "reasoning_text.delta",
                        "reasoning_text.done",
                        "content_part.done",
                        "output_item.done",
                        "output_item.added",
                        "content_part.added",
                        "output_text.delta",
                        "output_text.done",
                        "content_part.done",
                        "output_item.done",
                        "output_item.added",
                        "function_call_arguments.delta",
                        "function_call_arguments.done",
                        "output_item.done",
                        "completed"),
                ResponsesClient.events(stream).stream()
                        .map(event -> event.get("type").stringValue())
                        .map(type -> type.substring("response.".length()))
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void reasoningTextAndCallsAreItems(boolean stream) throws Exception {
        engine.says(
                SmallChat.answer(
                        "hm 🙂</think>\n\nI look. ü"
                                + SmallChat.call("f", "{\"b\": \"x\\\"}\\n\"}")
                                + SmallChat.call("g", "{}")));

        JsonNode response = client(TOOLS + ", \"reasoning\": {}").asks(stream);

        assertEquals("completed", response.get("status").stringValue());
        assertEquals("hm 🙂", ResponsesClient.text(response, "reasoning"));
        assertEquals("I look. ü", ResponsesClient.text(response, "message"));
        assertEquals("I look. ü", response.get("output_text").stringValue());
        List<JsonNode> calls = ResponsesClient.items(response, "function_call");
        assertEquals(2, calls.size());
        assertEquals("f", calls.get(0).get("name").stringValue());
        assertEquals(
                "x\"}\n",
                Json.MAPPER
                        .readTree(calls.get(0).get("arguments").stringValue())
                        .get("b")
                        .stringValue());
        assertEquals("g", calls.get(1).get("name").stringValue());
        assertEquals("{}", calls.get(1).get("arguments").stringValue());
        List<JsonNode> output = List.copyOf(response.get("output").values());
        assertTrue(id(output.get(0)).matches("rs_[0-9a-f]{32}"));
        assertTrue(id(output.get(1)).matches("msg_[0-9a-f]{32}"));
        assertTrue(id(output.get(2)).matches("fc_[0-9a-f]{32}"));
        assertTrue(output.get(2).get("call_id").stringValue().matches("call_[0-9a-f]{32}"));
        output.forEach(item -> assertEquals("completed", item.get("status").stringValue()));
        assertEquals("[]", output.get(0).get("summary").toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ok",
                "",
                "<think>a</think>b<think>c</think>d",
                "x<tool_call>{\"name\": \"h\", \"arguments\": {}}</tool_call>y",
                "x<tool_call>{\"name\": \"g\", \"arguments\": {}}</tool_call>y<tool_call>{",
                "<tool_call>{\"name\": \"f\", \"arguments\": {\"b\": \"und",
                "<tool_call>{\"name\": \"g\", \"argum",
                "no</think>mark"
            })
    void streamEqualsTheWholeResponse(String text) throws Exception {
        engine.says(SmallChat.answer(text));

        JsonNode streamed = client(TOOLS).asks(true);

        assertEquals(
                ResponsesClient.withoutIds(client(TOOLS).asks(false)),
                ResponsesClient.withoutIds(streamed));
    }

    /** Wherever the limit lies, a stream is well formed and says the same as the whole. */
    @Test
    void responseMayBeTruncatedAnywhere() throws Exception {
        int[] tokens =
                SmallChat.answer("a</think>é" + SmallChat.call("f", "{\"b\": \"ü\"}") + "end");
        engine.says(tokens);
        for (int limit = 1; limit < tokens.length; limit++) {
            String fields = TOOLS + ", \"enable_thinking\": true, \"max_output_tokens\": " + limit;

            JsonNode streamed = client(fields).asks(true);

            assertEquals("incomplete", streamed.get("status").stringValue());
            assertEquals(
                    "max_output_tokens", streamed.at("/incomplete_details/reason").stringValue());
            assertEquals(
                    ResponsesClient.withoutIds(client(fields).asks(false)),
                    ResponsesClient.withoutIds(streamed));
            JsonNode output = streamed.get("output");
            for (int i = 0; i < output.size(); i++) {
                assertEquals(
                        i == output.size() - 1 ? "incomplete" : "completed",
                        output.get(i).get("status").stringValue());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"END, abENDcd, ab", "'foo\",\"o', xfoo, x"})
    void stopStringEndsTheResponse(String stops, String text, String expected) throws Exception {
        engine.says(SmallChat.answer(text));

        JsonNode response = client("\"stop\": [\"" + stops + "\"]").asks(true);

        assertEquals("completed", response.get("status").stringValue());
        assertEquals(expected, response.get("output_text").stringValue());
        assertTrue(engine.cancelled.getCount() == 0, "the engine went on");
    }

    @Test
    void usageCountsReasoningAndCachedTokens() throws Exception {
        engine.says(SmallChat.answer("hmm</think>ok"));

        JsonNode response = client("\"enable_thinking\": true").asks(false);

        JsonNode usage = response.get("usage");
        int prompt = engine.requests.getLast().prompt().tokens().length;
        assertEquals(prompt, usage.get("input_tokens").intValue());
        assertEquals(0, usage.at("/input_tokens_details/cached_tokens").intValue());
        assertEquals(6, usage.get("output_tokens").intValue());
        assertEquals(3, usage.at("/output_tokens_details/reasoning_tokens").intValue());
        assertEquals(prompt + 6, usage.get("total_tokens").intValue());
        assertTrue(response.at("/timings/prefill_ms").isNumber(), response.toString());
    }

    @Test
    void responseEchoesTheEffectiveFields() throws Exception {
        engine.says(SmallChat.answer("ok"));

        JsonNode response =
                client(
                                TOOLS
                                        + ", \"instructions\": \"Be brief.\", \"metadata\": {\"a\":"
                                        + " \"b\"}, \"store\": true, \"temperature\": 0.5,"
                                        + " \"top_p\": 0.9, \"max_output_tokens\": 50,"
                                        + " \"parallel_tool_calls\": false, \"tool_choice\":"
                                        + " \"auto\", \"reasoning\": {\"effort\": \"low\","
                                        + " \"summary\": \"auto\"}, \"text\": {\"verbosity\":"
                                        + " \"low\"}, \"truncation\": \"auto\", \"user\": \"u\","
                                        + " \"prompt_cache_key\": \"k\", \"safety_identifier\":"
                                        + " \"s\", \"service_tier\": \"flex\", \"include\":"
                                        + " [\"reasoning.encrypted_content\"], \"stream_options\":"
                                        + " {\"include_obfuscation\": false}, \"background\":"
                                        + " false, \"max_tool_calls\": 3, \"model\": \"gpt-9\"")
                        .asks(false);

        assertEquals("response", response.get("object").stringValue());
        assertTrue(id(response).matches("resp_[0-9a-f]{32}"));
        assertEquals("small", response.get("model").stringValue());
        assertTrue(response.get("created_at").longValue() > 1_700_000_000);
        assertEquals("Be brief.", response.get("instructions").stringValue());
        assertEquals("b", response.at("/metadata/a").stringValue());
        assertFalse(response.get("store").booleanValue());
        assertEquals(0.5, response.get("temperature").doubleValue());
        assertEquals(0.9, response.get("top_p").doubleValue());
        assertEquals(50, response.get("max_output_tokens").intValue());
        assertEquals(3, response.get("max_tool_calls").intValue());
        assertFalse(response.get("parallel_tool_calls").booleanValue());
        assertEquals("auto", response.get("tool_choice").stringValue());
        assertEquals(2, response.get("tools").size());
        assertEquals("low", response.at("/reasoning/effort").stringValue());
        assertEquals("auto", response.at("/reasoning/summary").stringValue());
        assertEquals("low", response.at("/text/verbosity").stringValue());
        assertEquals("text", response.at("/text/format/type").stringValue());
        assertEquals("disabled", response.get("truncation").stringValue());
        assertEquals("u", response.get("user").stringValue());
        assertEquals("k", response.get("prompt_cache_key").stringValue());
        assertEquals("default", response.get("service_tier").stringValue());
        for (String name : List.of("error", "incomplete_details", "previous_response_id")) {
            assertTrue(response.get(name).isNull(), name);
        }
    }

    @Test
    void nullEqualsAbsent() throws Exception {
        engine.says(SmallChat.answer("ok"));
        String nulls =
                String.join(
                        ",",
                        List.of(
                                        "background",
                                        "cache",
                                        "cache_scope",
                                        "conversation",
                                        "draft_max",
                                        "enable_thinking",
                                        "grammar",
                                        "include",
                                        "instructions",
                                        "max_output_tokens",
                                        "max_tool_calls",
                                        "metadata",
                                        "model",
                                        "n",
                                        "parallel_tool_calls",
                                        "prefill_compression",
                                        "prefill_keep_ratio",
                                        "previous_response_id",
                                        "prompt",
                                        "prompt_cache_key",
                                        "reasoning",
                                        "safety_identifier",
                                        "seed",
                                        "service_tier",
                                        "session_id",
                                        "speculative",
                                        "stop",
                                        "store",
                                        "stream_options",
                                        "temperature",
                                        "text",
                                        "tool_choice",
                                        "tools",
                                        "top_k",
                                        "top_logprobs",
                                        "top_p",
                                        "truncation",
                                        "user")
                                .stream()
                                .map(name -> "\"" + name + "\": null")
                                .toList());

        JsonNode response = client(nulls).asks(true);

        JsonNode plain = client("").asks(true);
        assertEquals(ResponsesClient.withoutIds(plain), ResponsesClient.withoutIds(response));
        assertEquals("[user]Hi\n[assistant]", prompt());
    }

    @Test
    void nestedNullsAreAbsentToo() throws Exception {
        engine.says(SmallChat.answer("ok"));

        client(
                        "\"text\": {\"format\": null, \"verbosity\": null}, \"reasoning\":"
                                + " {\"effort\": null, \"summary\": null}, \"tools\":"
                                + " [{\"type\": \"function\", \"name\": \"f\", \"description\":"
                                + " null, \"parameters\": null, \"strict\": null}]")
                .adds(
                        "{\"type\": null, \"id\": null, \"status\": null, \"role\": \"user\","
                                + " \"content\": \"x\"}")
                .adds("{\"type\": \"reasoning\", \"content\": null, \"summary\": null}")
                .asks(false);

        assertTrue(prompt().contains("[user]x\n"), prompt());
    }

    @Test
    void contentFollowsItsFormat() throws Exception {
        engine.says(SmallChat.answer("{\"age\": 5} and more"));
        String schema =
                "{\"type\": \"object\", \"properties\": {\"age\": {\"type\": \"integer\"}},"
                        + " \"required\": [\"age\"], \"additionalProperties\": false}";

        JsonNode response =
                client(
                                "\"text\": {\"format\": {\"type\": \"json_schema\", \"name\":"
                                        + " \"p\", \"strict\": true, \"schema\": "
                                        + schema
                                        + "}}")
                        .asks(true);

        assertEquals("{\"age\": 5}", response.get("output_text").stringValue());
        assertEquals("json_schema", response.at("/text/format/type").stringValue());
        JsonNode any = client("\"text\": {\"format\": {\"type\": \"json_object\"}}").asks(false);
        assertEquals("{\"age\": 5}", any.get("output_text").stringValue());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void logprobsComeWithTheText(boolean stream) throws Exception {
        engine.says(SmallChat.answer("hm</think>\n\nab"));

        JsonNode response =
                client(
                                "\"enable_thinking\": true, \"top_logprobs\": 1, \"include\":"
                                        + " [\"message.output_text.logprobs\"]")
                        .asks(stream);

        JsonNode logprobs = response.at("/output/1/content/0/logprobs");
        assertEquals(
                List.of("a", "b"),
                logprobs.valueStream().map(each -> each.get("token").stringValue()).toList());
        assertEquals(1, logprobs.get(0).get("top_logprobs").size());
    }

    @Test
    void engineRefusalIsAnError() throws Exception {
        engine.refuses(new VarveException(VarveException.Kind.OVERLOADED, "too much"));

        HttpResponse<String> answer = client("").posts(true);

        assertEquals(429, answer.statusCode());
        assertEquals("rate_limit_error", TestServer.json(answer).at("/error/type").stringValue());
    }

    @Test
    void failureBeforeTheResponseIsAnError() throws Exception {
        engine.fails(new VarveException(VarveException.Kind.BACKEND_FAILED, "it broke"));

        HttpResponse<String> answer = client("").posts(false);

        assertEquals(500, answer.statusCode());
        assertEquals("server_error", TestServer.json(answer).at("/error/type").stringValue());
    }

    @Test
    void brokenStreamIsReported() throws Exception {
        engine.says(SmallChat.answer("hm</think>some"))
                .fails(new VarveException(VarveException.Kind.BACKEND_FAILED, "it broke"));

        String stream = client("\"enable_thinking\": true").posts(true).body();

        JsonNode last = ResponsesClient.events(stream).getLast();
        assertEquals("response.failed", last.get("type").stringValue());
        JsonNode response = last.get("response");
        assertEquals("failed", response.get("status").stringValue());
        assertEquals("server_error", response.at("/error/code").stringValue());
        assertEquals("it broke", response.at("/error/message").stringValue());
        assertEquals(1, response.get("output").size());
        assertTrue(response.get("usage").isNull());
        assertFalse(stream.contains("response.completed"), stream);
    }

    @Test
    void shortPathIsTheSameRoute() throws Exception {
        engine.says(SmallChat.answer("ok"));

        HttpResponse<String> answer = server.post("/responses", "{\"input\": \"Hi\"}");

        assertEquals("ok", TestServer.json(answer).get("output_text").stringValue());
        assertEquals(405, server.get("/v1/responses").statusCode());
    }

    /** Agents read {@code models}, all others {@code data}. */
    @Test
    void agentsGetTheirModelListFormat() throws Exception {
        JsonNode plain = TestServer.json(server.get("/v1/models"));
        JsonNode list = TestServer.json(server.get("/v1/models?client_version=0.99.0"));

        assertFalse(plain.has("models"));
        assertEquals(plain.get("data"), list.get("data"));
        assertEquals(1, list.get("models").size());
        JsonNode model = list.at("/models/0");
        assertEquals("small", model.get("slug").stringValue());
        assertEquals(4000, model.get("context_window").intValue());
        assertEquals("low", model.get("default_reasoning_level").stringValue());
        assertEquals("shell_command", model.get("shell_type").stringValue());
        assertFalse(model.get("base_instructions").stringValue().isEmpty());
    }

    private ResponsesClient client(String fields) {
        return new ResponsesClient(server, fields).says("Hi");
    }

    private String prompt() {
        return SmallChat.text(engine.requests.getLast().prompt().tokens());
    }

    private static String id(JsonNode object) {
        return object.get("id").stringValue();
    }
}
