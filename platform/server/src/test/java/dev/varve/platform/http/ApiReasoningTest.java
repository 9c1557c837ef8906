package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.List;

/**
 * Reasoning budgets, loops after reasoning and continued answers, in each dialect, streamed or not.
 * The small model needs a token for each letter of its reasoning.
 */
@Timeout(60)
class ApiReasoningTest {
    private static final String BUDGET =
            "\"thinking\": {\"type\": \"enabled\", \"budget_tokens\": 10}, \"max_tokens\": ";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    /** An answer, and its finish details. */
    private record Ended(SpokenDialect.Said said, JsonNode details) {}

    private Ended ask(SpokenDialect dialect, String fields, boolean stream) throws Exception {
        ObjectNode body = dialect.body("Why?");
        body.remove("tools");
        body.setAll((ObjectNode) Json.MAPPER.readTree("{" + fields + "}"));
        HttpResponse<String> response =
                server.post(dialect.path, Json.write(body.put("stream", stream)));
        assertEquals(200, response.statusCode(), response.body());
        JsonNode all =
                stream
                        ? Json.MAPPER.valueToTree(dialect.events(response.body()))
                        : TestServer.json(response);
        return new Ended(dialect.read(response, stream), all.findValue("finish_details"));
    }

    @ParameterizedTest
    @EnumSource
    void reasoningIsClosedWhenItsBudgetIsSpent(SpokenDialect dialect) throws Exception {
        engine.says(SmallChat.answer("0123456789abcdef"));
        for (boolean stream : new boolean[] {false, true}) {
            Ended ended = ask(dialect, BUDGET + 40, stream);

            assertEquals(
                    new SpokenDialect.Said("0123456789\n", "abcdef", List.of(), "stop"),
                    ended.said());
            assertEquals("hard", ended.details().get("close_kind").stringValue());
            assertEquals(11, ended.details().get("thinking_tokens").intValue());
            assertEquals(20, ended.details().get("total_tokens").intValue());
            assertEquals(false, ended.details().get("degenerate_decode").booleanValue());
        }
    }

    @ParameterizedTest
    @EnumSource
    void reasoningWithinItsBudgetIsUnchanged(SpokenDialect dialect) throws Exception {
        engine.says(SmallChat.answer("01234</think>abc"));
        for (boolean stream : new boolean[] {false, true}) {
            Ended ended = ask(dialect, BUDGET + 14, stream);

            assertEquals(new SpokenDialect.Said("01234", "abc", List.of(), "stop"), ended.said());
            assertEquals("natural", ended.details().get("close_kind").stringValue());
        }
    }

    @ParameterizedTest
    @EnumSource
    void smallTokenLimitIsSharedBetweenReasoningAndContent(SpokenDialect dialect) throws Exception {
        engine.says(SmallChat.answer("0123456789"));
        for (boolean stream : new boolean[] {false, true}) {
            Ended ended = ask(dialect, BUDGET + 3, stream);

            assertEquals("01\n", ended.said().thoughts());
            assertEquals("length", ended.said().end());
        }
    }

    @ParameterizedTest
    @EnumSource
    void repetitionBehindClosedReasoningEndsTheResponse(SpokenDialect dialect) throws Exception {
        String circle = "abcdefghijkl";
        engine.says(SmallChat.answer("0123456789" + "Well, " + circle.repeat(100)));
        for (boolean stream : new boolean[] {false, true}) {
            Ended ended = ask(dialect, BUDGET + 2000, stream);

            assertEquals("Well, " + circle.repeat(2), ended.said().text());
            assertEquals("length", ended.said().end());
            assertTrue(ended.details().get("degenerate_decode").booleanValue());
        }
        engine.says(SmallChat.answer("01234</think>" + circle.repeat(5)));
        assertEquals(circle.repeat(5), ask(dialect, BUDGET + 2000, false).said().text());
    }

    /** The model continues the last message if the assistant wrote it. */
    @Test
    void trailingAssistantMessageIsContinued() throws Exception {
        engine.says(SmallChat.answer(" and more."));
        for (SpokenDialect dialect : SpokenDialect.values()) {
            for (boolean stream : new boolean[] {false, true}) {
                String begun =
                        "[{\"role\": \"user\", \"content\": \"Why?\"},"
                                + " {\"role\": \"assistant\", \"content\": \"Because\"}]";
                String field = dialect == SpokenDialect.RESPONSES ? "input" : "messages";

                Ended ended = ask(dialect, "\"" + field + "\": " + begun, stream);

                assertEquals(" and more.", ended.said().text(), dialect.toString());
                String prompt = SmallChat.text(engine.requests.getLast().prompt().tokens());
                assertTrue(prompt.endsWith("Because"), prompt);
            }
        }
        // The system message stands elsewhere in a chat.
        assertArrayEquals(
                engine.requests.get(2).prompt().tokens(), engine.requests.get(4).prompt().tokens());
    }
}
