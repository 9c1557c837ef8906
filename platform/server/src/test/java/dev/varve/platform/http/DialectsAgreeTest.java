package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.List;

/** One conversation in each dialect: the same prompt, and the same answer, streamed or not. */
@Timeout(120)
class DialectsAgreeTest {
    private final ScriptedEngine engine = new ScriptedEngine().hasContext(20_000);

    @AfterEach
    void stop() {
        engine.close();
    }

    private SpokenDialect.Said ask(
            TestServer server, SpokenDialect dialect, String fields, boolean stream)
            throws Exception {
        ObjectNode body = dialect.body("Why? <think> é\uD83D\uDE00");
        body.setAll((ObjectNode) Json.MAPPER.readTree("{" + fields + "}"));
        HttpResponse<String> response =
                server.post(dialect.path, Json.write(body.put("stream", stream)));
        assertEquals(200, response.statusCode(), dialect + ": " + response.body());
        return dialect.read(response, stream);
    }

    private void compare(TestServer server, String fields, SpokenDialect.Said expected)
            throws Exception {
        for (SpokenDialect dialect : SpokenDialect.values()) {
            for (boolean stream : new boolean[] {false, true}) {
                SpokenDialect.Said said = ask(server, dialect, fields, stream);

                assertEquals(expected, said, dialect + ", stream " + stream);
                assertArrayEquals(
                        engine.requests.getFirst().prompt().tokens(),
                        engine.requests.getLast().prompt().tokens(),
                        dialect + ": prompt");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ChatFamily.class)
    void allApisGiveTheSameForAllFamilies(ChatFamily family) throws Exception {
        String call = family.call("f", "b", "x\n\"}</y> é\uD83D\uDE00");
        engine.says(family.answer(family.thought("I plan.") + "I look." + call));
        try (TestServer server = TestServer.of(family.served(engine))) {
            SpokenDialect.Said said = ask(server, SpokenDialect.CHAT, "", false);

            assertEquals("I plan.", said.thoughts().strip());
            assertEquals("I look.", said.text());
            assertEquals(List.of("f{\"b\":\"x\\n\\\"}</y> é\uD83D\uDE00\"}"), said.calls());
            assertEquals("tool_calls", said.end());
            compare(server, "", said);
        }
    }

    /** Each byte is a token of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"é\uD83D\uDE00 plain", " two\n\nlines ", "<b>", "{\"json\": 1}"})
    void allApisGiveTheSameText(String text) throws Exception {
        engine.says(SmallChat.answer("hm</think>" + text));
        try (TestServer server = SmallChat.server(engine)) {
            compare(
                    server,
                    "",
                    new SpokenDialect.Said("hm", text.stripLeading(), List.of(), "stop"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 9, 14, 20, 40})
    void allApisTruncateAtTheSameLimit(int most) throws Exception {
        engine.says(SmallChat.answer("hm, so</think>It is so, isn't it."));
        try (TestServer server = SmallChat.server(engine)) {
            SpokenDialect.Said first =
                    ask(server, SpokenDialect.CHAT, "\"max_completion_tokens\": " + most, false);

            compare(server, "\"max_completion_tokens\": " + most, first);
        }
    }
}
