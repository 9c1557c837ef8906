package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;

/** Requests that say what the answer must be, in the words of OpenAI, vLLM and llama.cpp. */
@Timeout(60)
class StructuredOutputTest {
    private static final String AGE =
            "{\"type\": \"object\", \"properties\": {\"age\": {\"type\": \"integer\"}},"
                    + " \"required\": [\"age\"], \"additionalProperties\": false}";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    private HttpResponse<String> chat(String fields) throws Exception {
        return server.post("/v1/chat/completions", TestServer.chatBody(fields));
    }

    private HttpResponse<String> complete(String fields) throws Exception {
        return server.post("/v1/completions", "{\"prompt\": \"x\", " + fields + "}");
    }

    private static String content(HttpResponse<String> answer) {
        assertEquals(200, answer.statusCode(), answer.body());
        return TestServer.json(answer).at("/choices/0/message/content").stringValue();
    }

    /** The scripted engine stops at the first token that the constraint forbids. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"response_format\": {\"type\": \"text\"} | {\"age\": tall} | {\"age\": tall}",
                "\"response_format\": {\"type\": \"json_object\"} | {\"b\": [1 ,2]] | {\"b\": [1",
                "\"response_format\": {\"type\": \"json_schema\", \"json_schema\": {\"name\":"
                    + " \"p\", \"strict\": true, \"schema\": AGE}} | {\"age\": 5.5} | {\"age\": 5",
                "\"response_format\": {\"type\": \"json_object\", \"schema\": AGE} | {\"b\": 5} |"
                        + " {\"age\"",
                "\"response_format\": {\"type\": \"json_schema\", \"schema\": AGE} | {\"b\": 5} |"
                        + " {\"age\"",
                "\"guided_json\": AGE | {\"age\": 5} x | {\"age\": 5}",
                "\"guided_json\": \"{\\\"type\\\": \\\"null\\\"}\" | nullx | null",
                "\"guided_regex\": \"[a-c]+\" | abcd | abc",
                "\"guided_choice\": [\"yes\", \"no\"] | nope | no",
                "\"structured_outputs\": {\"json\": AGE} | {\"age\": 5}! | {\"age\": 5}",
                "\"structured_outputs\": {\"regex\": \"a{2}\"} | aaa | aa",
                "\"structured_outputs\": {\"choice\": [\"up\"]} | upper | up",
                "\"grammar\": \"root ::= [a-z]+ \\\"!\\\"\" | hey!? | hey!",
                "\"guided_grammar\": \"root ::= \\\"a\\\" b\\nb ::= [0-9]{2}\" | a123 | a12",
                "\"structured_outputs\": {\"grammar\": \"root ::= [xy]\"} | xy | x",
                "\"json_schema\": AGE | {\"age\": x | {\"age\":",
                "\"guided_json\": {\"type\": \"null\", \"required\": null, \"properties\": null}"
                        + " | nullx | null"
            })
    void contentFollowsTheRequestedFormat(String fields, String said, String told)
            throws Exception {
        engine.says(SmallChat.answer(said));

        HttpResponse<String> chat = chat(fields.replace("AGE", AGE));

        assertEquals(told, content(chat).strip());
    }

    /** A form is kept whichever vendor's word for it a client of another one knows. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/v1/messages | \"guided_choice\": [\"yes\", \"no\"]",
                "/v1/messages | \"structured_outputs\": {\"choice\": [\"yes\", \"no\"]}",
                "/v1/messages | \"guided_regex\": \"no\"",
                "/v1/responses | \"guided_choice\": [\"yes\", \"no\"]"
            })
    void allApisSupportTheFormats(String path, String field) throws Exception {
        engine.says(SmallChat.answer("nope"));

        HttpResponse<String> answer =
                server.post(
                        path,
                        "{\"max_tokens\": 100, "
                                + field
                                + (path.equals("/v1/messages")
                                        ? ", \"messages\": [{\"role\": \"user\", \"content\":"
                                                + " \"x\"}]}"
                                        : ", \"input\": \"x\"}"));

        assertEquals(200, answer.statusCode(), answer.body());
        assertEquals(
                "no",
                TestServer.json(answer)
                        .at(path.equals("/v1/messages") ? "/content/0/text" : "/output_text")
                        .stringValue());
    }

    @Test
    void completionsSupportFormatsAsWell() throws Exception {
        engine.says(SmallChat.answer("nope"));

        HttpResponse<String> answer = complete("\"guided_choice\": [\"yes\", \"no\"]");

        assertEquals(200, answer.statusCode(), answer.body());
        assertEquals("no", TestServer.json(answer).at("/choices/0/text").stringValue());
    }

    @Test
    void reasoningPrecedesTheFormatUnconstrained() throws Exception {
        engine.says(SmallChat.answer("yes or no?</think>nope"));

        HttpResponse<String> answer =
                chat("\"guided_choice\": [\"yes\", \"no\"], \"enable_thinking\": true");

        assertEquals("no", content(answer));
        JsonNode message = TestServer.json(answer).at("/choices/0/message");
        assertEquals("yes or no?", message.get("reasoning_content").stringValue());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"response_format\": {\"type\": \"json_schema\"} | response_format.json_schema |"
                        + " missing",
                "\"response_format\": {\"type\": \"json_schema\", \"json_schema\": {}} |"
                        + " response_format.json_schema.schema | missing",
                "\"response_format\": {\"type\": \"json_schema\", \"json_schema\": {\"schema\":"
                        + " {\"properties\": {\"a\": {\"$ref\": \"https://x.example\"}}}}} |"
                        + " response_format.json_schema.schema | at /properties/a/$ref",
                "\"guided_json\": {\"type\": \"strin\"} | guided_json | at /type",
                "\"guided_json\": \"{\" | guided_json | JSON",
                "\"guided_json\": 5 | guided_json | a JSON schema",
                "\"guided_regex\": \"(\" | guided_regex | guided_regex: ",
                "\"guided_regex\": \"(a)\\\\1\" | guided_regex | guided_regex: ",
                "\"grammar\": \"root ::= unknown\" | grammar | grammar: ",
                "\"guided_grammar\": \"root :=\" | guided_grammar | guided_grammar: ",
                "\"guided_choice\": [] | guided_choice | strings",
                "\"guided_choice\": [1] | guided_choice | strings",
                "\"guided_choice\": [\"a\"], \"guided_regex\": \"a\" | guided_choice | both",
                "\"response_format\": {\"type\": \"json_object\"}, \"json_schema\": {} |"
                        + " json_schema | both",
                "\"structured_outputs\": {\"json\": {}, \"regex\": \"a\"} |"
                        + " structured_outputs.regex | both",
                "\"structured_outputs\": {\"structural_tag\": \"{}\"} |"
                        + " structured_outputs.structural_tag | not supported",
                "\"guided_regex\": \"a\", \"ignore_eos\": true | ignore_eos | false",
                "\"guided_json\": false | guided_json | no text"
            })
    void unsupportedFormatIsRefused(String fields, String param, String words) throws Exception {
        for (boolean chats : new boolean[] {true, false}) {
            HttpResponse<String> answer = chats ? chat(fields) : complete(fields);

            assertEquals(400, answer.statusCode(), answer.body());
            JsonNode error = TestServer.json(answer).get("error");
            assertEquals(param, error.get("param").stringValue(), answer.body());
            String message = error.get("message").stringValue();
            assertTrue(message.contains(words.strip()), message);
        }
        assertTrue(engine.requests.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"response_format\": null",
                "\"guided_json\": null",
                "\"grammar\": \"\"",
                "\"structured_outputs\": {}"
            })
    void textFormatConstrainsNothing(String fields) throws Exception {
        engine.says(SmallChat.answer("any text"));

        assertEquals("any text", content(chat(fields)));
    }
}
