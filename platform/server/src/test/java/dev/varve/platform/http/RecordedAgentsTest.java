package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.UnknownFieldPolicy;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.http.HttpResponse;
import java.util.List;

/** Coding agents over HTTP, in the markup of each family. */
@Timeout(120)
class RecordedAgentsTest {
    /** With one token per byte, the first request of an agent takes more than 50,000 tokens. */
    private static final int CONTEXT = 1 << 18;

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(CONTEXT);

    @AfterEach
    void stop() {
        engine.close();
    }

    @ParameterizedTest
    @EnumSource(RecordedAgent.class)
    void everyTurnOfAnAgentIsServed(RecordedAgent agent) throws Exception {
        String call =
                SmallChat.call(agent.tool(), "{\"" + agent.parameter() + "\": \"notes.txt\"}");
        engine.says(SmallChat.answer("Plan.</think>" + call));
        try (TestServer server = SmallChat.server(engine)) {
            requireCalls(agent, server);
        }

        String prompt = SmallChat.text(engine.requests.getLast().prompt().tokens());
        assertTrue(prompt.contains(RecordedAgent.TASK), prompt);
        assertTrue(prompt.contains(RecordedAgent.READ), prompt);
        assertTrue(prompt.contains("\"" + agent.tool() + "\""), prompt);
    }

    @ParameterizedTest
    @CsvSource({
        "CLAUDE_CODE, QWEN3",
        "CLAUDE_CODE, QWEN35",
        "CLAUDE_CODE, GEMMA",
        "CLAUDE_CODE, LAGUNA",
        "CODEX, QWEN3",
        "CODEX, QWEN35",
        "CODEX, GEMMA",
        "CODEX, LAGUNA"
    })
    @ByDay({1, 7})
    void everyFamilyServesAgents(RecordedAgent agent, ChatFamily family) throws Exception {
        engine.says(
                family.answer(
                        family.thought("Plan.")
                                + family.call(agent.tool(), agent.parameter(), "notes.txt")));
        try (TestServer server = TestServer.of(family.served(engine))) {
            requireCalls(agent, server);
        }

        String prompt =
                family.tokenizer().decode(engine.requests.getLast().prompt().tokens(), true);
        assertTrue(prompt.contains(RecordedAgent.TASK), prompt);
        assertTrue(prompt.contains(RecordedAgent.READ), prompt);
    }

    private static void requireCalls(RecordedAgent agent, TestServer server) throws Exception {
        List<String> turns = agent.turns();
        assertEquals(4, turns.size());
        for (String turn : turns) {
            HttpResponse<String> answer = server.post(agent.route(), turn);

            assertEquals(200, answer.statusCode(), answer.body());
            RecordedAgent.Call call = agent.call(answer.body()).orElseThrow();
            assertEquals(agent.tool(), call.tool());
            assertEquals(
                    "{\"" + agent.parameter() + "\":\"notes.txt\"}", Json.write(call.arguments()));
        }
    }

    @ParameterizedTest
    @EnumSource(RecordedAgent.class)
    void noFieldOfAnAgentIsUnknown(RecordedAgent agent) throws Exception {
        engine.says(SmallChat.answer("Plan.</think>Done."));
        HttpOptions strict = HttpOptions.loopback().withFields(UnknownFieldPolicy.STRICT);
        try (TestServer server = TestServer.loading(strict)) {
            server.server.ready(SmallChat.served(engine));

            for (String turn : agent.turns()) {
                HttpResponse<String> answer = server.post(agent.route(), turn);

                assertEquals(200, answer.statusCode(), answer.body());
                assertTrue(agent.call(answer.body()).isEmpty());
            }
        }
    }
}
