package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.ReasoningDefaults;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Reasoning budgets: the small model needs a token for each letter of its reasoning. */
@Timeout(60)
class ThinkingTest {
    private static final String LONG = "x".repeat(3000);

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    /** The close mark and its white space take four tokens; one of them counts as reasoning. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void reasoningIsClosedWhenItsBudgetIsSpent(boolean stream) throws Exception {
        engine.says(SmallChat.answer("0123456789abcdef"));

        JsonNode choice =
                choice(
                        "\"thinking\": {\"type\": \"enabled\", \"budget_tokens\": 10},"
                                + " \"max_tokens\": 40",
                        stream);

        assertEquals("0123456789\n", choice.at("/message/reasoning_content").stringValue());
        assertEquals("abcdef", choice.at("/message/content").stringValue());
        assertEquals("stop", choice.get("finish_reason").stringValue());
        JsonNode details = choice.get("finish_details");
        assertEquals("hard", details.get("close_kind").stringValue());
        assertEquals(11, details.get("thinking_tokens").intValue());
        assertEquals(8, details.get("content_tokens").intValue());
        assertEquals(20, details.get("total_tokens").intValue());
    }

    @Test
    void reasoningWithinItsBudgetIsUnchanged() throws Exception {
        engine.says(SmallChat.answer("01234</think>abc"));

        JsonNode choice =
                choice("\"thinking\": {\"budget_tokens\": 10}, \"max_tokens\": 14", false);

        assertEquals("01234", choice.at("/message/reasoning_content").stringValue());
        assertEquals("abc", choice.at("/message/content").stringValue());
        JsonNode details = choice.get("finish_details");
        assertEquals("natural", details.get("close_kind").stringValue());
        assertEquals(5, details.get("thinking_tokens").intValue());
        assertEquals(3, details.get("content_tokens").intValue());
    }

    @Test
    void smallTokenLimitIsSharedBetweenReasoningAndContent() throws Exception {
        engine.says(SmallChat.answer("0123456789"));

        JsonNode choice = choice("\"thinking\": {\"budget_tokens\": 10}, \"max_tokens\": 3", false);

        assertEquals("01\n", choice.at("/message/reasoning_content").stringValue());
        assertEquals("length", choice.get("finish_reason").stringValue());
    }

    @Test
    void unclosedReasoningHasNoContent() throws Exception {
        engine.says(SmallChat.answer("0123"));

        JsonNode choice = choice("\"reasoning_effort\": \"high\", \"max_tokens\": 100", false);

        assertEquals("0123", choice.at("/message/reasoning_content").stringValue());
        assertEquals("", choice.at("/message/content").stringValue());
        JsonNode details = choice.get("finish_details");
        assertEquals("open", details.get("close_kind").stringValue());
        assertEquals(4, details.get("thinking_tokens").intValue());
        assertEquals(0, details.get("content_tokens").intValue());
    }

    /** The server reserves 250 of 1000 tokens for the reply; reasoning may take 750. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"reasoning_effort\": \"minimal\" | 94",
                "\"reasoning_effort\": \"low\" | 94",
                "\"reasoning_effort\": \"medium\" | 375",
                "\"reasoning\": {\"effort\": \"high\"} | 750",
                "\"reasoning_effort\": \"xhigh\" | 750",
                "\"reasoning_effort\": \"x-high\" | 750",
                "\"reasoning_effort\": \"max\" | 750",
                "\"reasoning\": {\"effort\": \"low\"}, \"reasoning_effort\": \"high\" | 94",
                "\"thinking\": {\"type\": \"enabled\"} | 750",
                "\"thinking\": {\"type\": \"adaptive\"} | 750",
                "\"thinking\": {\"type\": \"enabled\", \"budget_tokens\": 7.0} | 7",
                "\"thinking\": {\"budget_tokens\": 900} | 750",
                "\"enable_thinking\": true, \"thinking_budget\": 12 | 12",
                "\"thinking\": {\"budget_tokens\": 5}, \"reasoning_effort\": \"low\" | 5",
                "\"reasoning_effort\": \"none\", \"enable_thinking\": true | 750"
            })
    void requestSetsTheBudget(String fields, int budget) throws Exception {
        engine.says(SmallChat.answer(LONG));

        JsonNode choice = choice(fields + ", \"max_tokens\": 1000", false);

        assertTrue(prompt().endsWith("<think>"), prompt());
        // The newline before the close mark is the last token of the reasoning.
        assertEquals(
                "x".repeat(budget) + "\n",
                choice.at("/message/reasoning_content").stringValue(),
                fields);
        assertEquals("hard", choice.at("/finish_details/close_kind").stringValue());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"enable_thinking\": true",
                "\"chat_template_kwargs\": {\"enable_thinking\": true}",
                "\"reasoning\": {}",
                "\"enable_thinking\": false, \"chat_template_kwargs\": {\"enable_thinking\": true}"
            })
    void enablingThinkingSetsNoLimit(String fields) throws Exception {
        engine.says(SmallChat.answer("x".repeat(990) + "</think>ok"));

        JsonNode choice = choice(fields + ", \"max_tokens\": 1000", false);

        assertEquals("ok", choice.at("/message/content").stringValue());
        assertFalse(choice.has("finish_details"), choice.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"enable_thinking\": false",
                "\"reasoning_effort\": \"none\"",
                "\"reasoning\": {\"effort\": \"none\"}",
                "\"thinking\": {\"type\": \"disabled\"}",
                "\"thinking\": {\"type\": \"disabled\"}, \"reasoning_effort\": \"high\"",
                "\"reasoning_effort\": \"high\", \"enable_thinking\": false"
            })
    void disabledThinkingClosesReasoningAtOnce(String fields) throws Exception {
        engine.says(SmallChat.answer("<think>ok"));

        JsonNode choice = choice(fields, false);

        assertTrue(prompt().endsWith("</think>"), prompt());
        assertEquals("ok", choice.at("/message/content").stringValue());
    }

    @Test
    void zeroBudgetClosesReasoningAtOnce() throws Exception {
        engine.says(SmallChat.answer("ok"));

        JsonNode choice = choice("\"thinking\": {\"budget_tokens\": 0}", false);

        assertEquals("ok", choice.at("/message/content").stringValue());
        assertFalse(choice.get("message").has("reasoning_content"), choice.toString());
    }

    @Test
    void reasoningCountsInTheUsage() throws Exception {
        engine.says(SmallChat.answer("01234</think>abc"));

        assertEquals(
                5,
                server.chat("\"enable_thinking\": true")
                        .at("/usage/completion_tokens_details/reasoning_tokens")
                        .intValue());
    }

    @Test
    void serverDefaultsApplyWithoutRequestFields() throws Exception {
        engine.says(SmallChat.answer(LONG));
        ReasoningDefaults defaults = new ReasoningDefaults(Optional.of(true), OptionalInt.of(6));
        try (TestServer other = SmallChat.server(engine, defaults)) {
            JsonNode silent = other.chat("\"max_tokens\": 1000").at("/choices/0");
            JsonNode short8 = other.chat("\"max_tokens\": 4").at("/choices/0");
            JsonNode asked =
                    other.chat("\"max_tokens\": 1000, \"thinking\": {\"budget_tokens\": 2}")
                            .at("/choices/0");

            assertEquals("xxxxxx\n", silent.at("/message/reasoning_content").stringValue());
            assertFalse(silent.has("finish_details"));
            assertEquals("xxx\n", short8.at("/message/reasoning_content").stringValue());
            assertEquals("xx\n", asked.at("/message/reasoning_content").stringValue());
        }
    }

    @Test
    void serverMayDisableThinking() throws Exception {
        engine.says(SmallChat.answer("ok"));
        ReasoningDefaults defaults = new ReasoningDefaults(Optional.of(false), OptionalInt.empty());
        try (TestServer other = SmallChat.server(engine, defaults)) {
            other.chat("");
            assertTrue(prompt().endsWith("[assistant]</think>"), prompt());
            other.chat("\"enable_thinking\": true");
            assertTrue(prompt().endsWith("[assistant]<think>"), prompt());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"reasoning_effort\": \"much\" | reasoning_effort",
                "\"reasoning\": {\"effort\": \"much\"} | reasoning.effort",
                "\"reasoning\": \"high\" | reasoning",
                "\"thinking\": {\"type\": \"maybe\"} | thinking.type",
                "\"thinking\": {\"budget_tokens\": -1} | thinking.budget_tokens",
                "\"thinking_budget\": 1.5 | thinking_budget",
                "\"enable_thinking\": \"yes\" | enable_thinking",
                "\"chat_template_kwargs\": {\"enable_thinking\": 1} |"
                        + " chat_template_kwargs.enable_thinking"
            })
    void invalidFieldIsNamed(String fields, String param) throws Exception {
        HttpResponse<String> response =
                server.post("/v1/chat/completions", TestServer.chatBody(fields));

        assertEquals(400, response.statusCode(), response.body());
        assertEquals(param, TestServer.json(response).at("/error/param").stringValue());
    }

    /** The choice; one that was streamed is put together again. */
    private JsonNode choice(String fields, boolean stream) throws Exception {
        if (!stream) {
            return server.chat(fields).at("/choices/0");
        }
        String body =
                server.post(
                                "/v1/chat/completions",
                                TestServer.chatBody(fields + ", \"stream\": true"))
                        .body();
        List<JsonNode> events = TestServer.events(body);
        ObjectNode choice = (ObjectNode) events.getLast().at("/choices/0").deepCopy();
        choice.set("message", AgentClient.streamed(body).message());
        return choice;
    }

    private String prompt() {
        return SmallChat.text(engine.requests.getLast().prompt().tokens());
    }
}
