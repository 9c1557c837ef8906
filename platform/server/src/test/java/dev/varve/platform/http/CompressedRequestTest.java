package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.KeepCurve;
import dev.varve.platform.compression.MessageCompressionSettings;
import dev.varve.platform.compression.ScriptedDrafter;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.compression.selection.SelectionSettings;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;

/** Requests whose prompts the server compresses, and the reports of answers about it. */
@Timeout(60)
class CompressedRequestTest {
    private static final String FILLER = "Nothing happened on that day. ".repeat(200);
    private static final String NEEDLE = "The key lies under the stone. ";
    private static final String QUESTION = "Where is the key?";

    private final ScriptedEngine engine =
            new ScriptedEngine().says(SmallChat.answer("ok")).hasContext(1 << 16);
    private final ScriptedDrafter drafter = ScriptedDrafter.looksFor("stone", SmallChat.TOKENIZER);

    @AfterEach
    void stop() {
        engine.close();
    }

    private TestServer server(CompressionMode mode) {
        return server(mode, false);
    }

    private TestServer server(CompressionMode mode, boolean adaptive) {
        ServedModel plain = SmallChat.served(engine);
        return TestServer.of(
                new ServedModel(
                        plain.description(),
                        plain.engine(),
                        plain.textProcessing(),
                        Optional.of(
                                new ConversationCompressor(
                                        drafter,
                                        new ConversationCompressionSettings(
                                                mode,
                                                4000,
                                                false,
                                                KeepCurve.flat(new KeepRatio(0.15)),
                                                SelectionSettings.USUAL,
                                                MessageCompressionSettings.USUAL,
                                                adaptive)))));
    }

    private static ObjectNode body(String... messages) {
        ObjectNode body = Json.object();
        ArrayNode array = body.putArray("messages");
        for (int i = 0; i < messages.length; i++) {
            array.addObject()
                    .put("role", i == 3 ? "assistant" : i == 0 ? "system" : "user")
                    .put("content", messages[i]);
        }
        return body;
    }

    private static ObjectNode longBody() {
        return body("Be brief.", FILLER + NEEDLE + FILLER, QUESTION);
    }

    private static HttpResponse<String> send(TestServer server, ObjectNode body) throws Exception {
        return server.post("/v1/chat/completions", body.toString());
    }

    private String prompt(int request) {
        return SmallChat.text(engine.requests.get(request).prompt().tokens());
    }

    @Test
    void responsesRouteReportsCompression() throws Exception {
        try (TestServer server = server(CompressionMode.AUTO)) {
            ObjectNode body = longBody();
            body.set("input", body.remove("messages"));

            HttpResponse<String> response = server.post("/v1/responses", body.toString());

            assertEquals("1", response.headers().firstValue("x-prompt-compressed").orElse(""));
            JsonNode usage = TestServer.json(response).get("usage");
            assertTrue(usage.get("input_tokens").asInt() > 12_000, usage.toString());
            assertEquals(
                    usage.get("input_tokens").asInt() + usage.get("output_tokens").asInt(),
                    usage.get("total_tokens").asInt());
            assertEquals(prompt(0).length(), usage.get("effective_prompt_tokens").asInt());
            assertTrue(usage.at("/compression/keep_actual").isNumber(), usage.toString());
            assertTrue(
                    TestServer.json(response).at("/timings/compression/score_ms").isNumber(),
                    response.body());
        }
    }

    @Test
    void modelGetsACompressedPromptAndTheResponseReportsIt() throws Exception {
        try (TestServer server = server(CompressionMode.AUTO)) {
            HttpResponse<String> response = send(server, longBody());

            assertEquals(200, response.statusCode(), response.body());
            assertEquals("1", response.headers().firstValue("x-prompt-compressed").orElse(""));
            String got = prompt(0);
            assertTrue(got.contains(NEEDLE.strip()), got);
            assertTrue(got.contains(QUESTION) && got.contains("Be brief."), got);
            JsonNode answer = TestServer.json(response);
            JsonNode usage = answer.get("usage");
            assertTrue(usage.get("prompt_tokens").asInt() > 12_000, usage.toString());
            assertEquals(got.length(), usage.get("effective_prompt_tokens").asInt());
            assertEquals(usage.get("prompt_tokens").asInt() + 2, usage.get("total_tokens").asInt());
            JsonNode compression = usage.get("compression");
            assertEquals("whole", compression.get("mode").asString());
            assertEquals(0.15, compression.get("keep_requested").asDouble());
            assertTrue(compression.get("keep_actual").asDouble() < 0.3, usage.toString());
            assertEquals(0, compression.get("cached_messages").asInt());
            assertTrue(answer.get("timings").get("compression").has("score_ms"));
            String metrics = server.get("/metrics").body();
            assertEquals(
                    1,
                    MetricsText.parse(metrics)
                            .value("varve_pflash_prompts_total", "mode", "whole"));
        }
    }

    @Test
    void streamReportsCompressionInItsUsage() throws Exception {
        try (TestServer server = server(CompressionMode.ALWAYS)) {
            ObjectNode body = longBody().put("stream", true);
            body.putObject("stream_options").put("include_usage", true);

            HttpResponse<String> response = send(server, body);

            JsonNode last = TestServer.events(response.body()).getLast();
            assertEquals("whole", last.get("usage").get("compression").get("mode").asString());
        }
    }

    @Test
    void requestMayDisableOrRequestCompression() throws Exception {
        try (TestServer server = server(CompressionMode.AUTO)) {
            HttpResponse<String> off = send(server, longBody().put("prefill_compression", "off"));
            HttpResponse<String> all = send(server, longBody().put("prefill_keep_ratio", 1));
            HttpResponse<String> half = send(server, longBody().put("prefill_keep_ratio", 0.5));

            for (HttpResponse<String> whole : List.of(off, all)) {
                assertTrue(whole.headers().firstValue("x-prompt-compressed").isEmpty());
                assertFalse(TestServer.json(whole).get("usage").has("compression"));
            }
            assertEquals(prompt(0), prompt(1));
            assertTrue(prompt(0).length() > 12_000);
            assertEquals(0.5, keep(half));
            assertTrue(prompt(2).length() > 6_000 && prompt(2).length() < 7_500);
        }
    }

    private static double keep(HttpResponse<String> response) {
        return TestServer.json(response)
                .get("usage")
                .get("compression")
                .get("keep_requested")
                .asDouble();
    }

    @Test
    void propsReportCompressionSettings() throws Exception {
        try (TestServer server = server(CompressionMode.AUTO, true);
                TestServer without = SmallChat.server(engine)) {
            JsonNode facts =
                    TestServer.json(server.get("/props")).path("runtime").path("compression");

            assertEquals("auto", facts.path("mode").asString(), facts.toString());
            assertEquals(4000, facts.path("threshold_tokens").asInt());
            assertEquals(0.15, facts.path("keep").path(0).path("ratio").asDouble());
            assertTrue(facts.path("adaptive").asBoolean());
            assertTrue(
                    TestServer.json(without.get("/props"))
                            .path("runtime")
                            .path("compression")
                            .isMissingNode());
        }
    }

    private static double keep(TestServer server, ObjectNode body) throws Exception {
        HttpResponse<String> response = send(server, body);
        return TestServer.json(response)
                .path("usage")
                .path("compression")
                .path("keep_requested")
                .asDouble(0);
    }

    private static ObjectNode question(int number) {
        return body("Be brief.", FILLER + NEEDLE + FILLER, QUESTION + " " + number);
    }

    @Test
    void acceptanceOfANamedConversationSetsTheKeepRatio() throws Exception {
        engine.guesses(new GenerationEnd.Speculation(10, 0, 5));
        try (TestServer server = server(CompressionMode.AUTO, true)) {
            assertEquals(0.1, keep(server, question(1).put("session_id", "a")));
            assertEquals(0.11, keep(server, question(2).put("session_id", "a")));
            engine.guesses(new GenerationEnd.Speculation(10, 10, 5));
            assertEquals(0.12, keep(server, question(3).put("session_id", "a")));
            // Less than half of the last two were right.
            assertEquals(0.13, keep(server, question(4).put("session_id", "a")));
            assertEquals(0.1, keep(server, question(5).put("session_id", "b")));
            assertEquals(0.15, keep(server, question(6).put("session_id", 7)));
            assertEquals(0.15, keep(server, question(7)));
            assertEquals(
                    0.5,
                    keep(
                            server,
                            question(8).put("session_id", "a").put("prefill_keep_ratio", 0.5)));
            assertEquals(
                    400, send(server, question(9).put("session_id", "a".repeat(513))).statusCode());
        }
    }

    @Test
    void invalidCompressionFieldIsRefused() throws Exception {
        try (TestServer server = server(CompressionMode.OFF);
                TestServer without = SmallChat.server(engine)) {
            for (ObjectNode wrong :
                    new ObjectNode[] {
                        longBody().put("prefill_compression", "yes"),
                        longBody().put("prefill_compression", 1),
                        longBody().put("prefill_keep_ratio", 0),
                        longBody().put("prefill_keep_ratio", 1.5),
                        longBody().put("prefill_keep_ratio", "much")
                    }) {
                HttpResponse<String> response = send(server, wrong);
                assertEquals(400, response.statusCode(), response.body());
                assertTrue(response.body().contains("prefill_"), response.body());
            }
            assertEquals(
                    400,
                    send(without, longBody().put("prefill_compression", "always")).statusCode());
            assertEquals(
                    200, send(without, longBody().put("prefill_compression", "off")).statusCode());
            assertEquals(
                    200,
                    send(server, longBody().put("prefill_compression", "always")).statusCode());
        }
    }

    @Test
    void secondTurnStartsWithTheCompressedFirstPrompt() throws Exception {
        try (TestServer server = server(CompressionMode.AUTO)) {
            send(server, longBody());
            HttpResponse<String> response =
                    send(
                            server,
                            body(
                                    "Be brief.",
                                    FILLER + NEEDLE + FILLER,
                                    QUESTION,
                                    "Under the stone.",
                                    "Thanks."));

            String first = prompt(0).replaceAll("\\[assistant]$", "");
            assertTrue(prompt(1).startsWith(first), prompt(1));
            JsonNode compression = TestServer.json(response).get("usage").get("compression");
            assertEquals("earlier", compression.get("mode").asString());
            assertEquals(1, compression.get("cached_messages").asInt());
            assertEquals(1, drafter.readings());
            assertEquals(
                    engine.requests.get(0).prompt().scope(),
                    engine.requests.get(1).prompt().scope());
            send(server, longBody().put("prefill_compression", "off"));
            assertNotEquals(
                    engine.requests.get(0).prompt().scope(),
                    engine.requests.get(2).prompt().scope());
        }
    }

    /** If the drafter fails, the engine computes the whole prompt, provided that it fits. */
    @Test
    void lostDrafterDisablesCompressionOnly() throws Exception {
        drafter.failWith(
                Optional.of(
                        new VarveException(
                                VarveException.Kind.UNAVAILABLE, "the drafter has gone away")));
        try (TestServer server = server(CompressionMode.AUTO)) {
            HttpResponse<String> whole = send(server, longBody());

            assertEquals(200, whole.statusCode());
            assertTrue(prompt(0).length() > 12_000);
            assertEquals(
                    1,
                    MetricsText.parse(server.get("/metrics").body())
                            .value("varve_pflash_failures_total"));
            engine.hasContext(1000);
            HttpResponse<String> refused = send(server, longBody());
            assertEquals(503, refused.statusCode(), refused.body());
            assertTrue(refused.body().contains("the drafter has gone away"), refused.body());
        }
    }

    /** A prompt may be longer than the context before it becomes shorter. */
    @Test
    void promptMustFitOnlyAfterCompression() throws Exception {
        engine.hasContext(2500);
        try (TestServer server = server(CompressionMode.AUTO)) {
            assertEquals(200, send(server, longBody()).statusCode());
            assertTrue(prompt(0).length() < 2500);
            HttpResponse<String> refused = send(server, longBody().put("prefill_keep_ratio", 0.9));
            assertEquals(400, refused.statusCode(), refused.body());
            assertTrue(refused.body().contains("context"), refused.body());
        }
    }
}
