package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.sampling.AdvancedSampling;
import dev.varve.platform.sampling.SamplingDefaults;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.Set;

/** Sampling of requests: the file's values, the server's over them, the request's over both. */
@Timeout(60)
class SamplingDefaultsTest {
    private static final SamplingDefaults DEFAULTS =
            new SamplingDefaults(
                    SamplingValues.NONE
                            .with(SamplingParameter.TEMPERATURE, 0.25)
                            .with(SamplingParameter.TOP_K, 20)
                            .with(SamplingParameter.TOP_P, 0.75),
                    SamplingValues.NONE
                            .with(SamplingParameter.TOP_P, 0.5)
                            .with(SamplingParameter.MIN_P, 0.125)
                            .withSeed(3));

    private final ScriptedEngine engine =
            new ScriptedEngine().hasContext(1000).says(SmallChat.answer("So.<|im_end|>"));
    private final TestServer server = TestServer.of(SmallChat.served(engine).with(DEFAULTS));

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    private SamplingOptions sampled(String path, String body) throws Exception {
        HttpResponse<String> response = server.post(path, body);
        assertEquals(200, response.statusCode(), response.body());
        return engine.requests.getLast().choice().sampling();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/chat/completions | \"messages\": [{\"role\": \"user\", \"content\": \"Why?\"}]"
                        + " | ",
                "/v1/completions | \"prompt\": \"Why?\" | ",
                "/v1/responses | \"input\": \"Why?\" | ",
                "/v1/messages | \"max_tokens\": 9, \"messages\": [{\"role\": \"user\", \"content\":"
                        + " \"Why?\"}] | ",
                "/completion | \"prompt\": \"Why?\" | ",
                "/api/chat | \"messages\": [{\"role\": \"user\", \"content\": \"Why?\"}] | options",
                "/api/generate | \"prompt\": \"Why?\" | options"
            })
    void aRequestOverridesTheServerAndTheServerTheFile(String path, String fields, String where)
            throws Exception {
        SamplingOptions plain = sampled(path, "{" + fields + "}");

        assertEquals(0.25f, plain.temperature());
        assertEquals(new SamplingOptions.Cutoffs(20, 0.5f, 0.125f), plain.cutoffs());
        assertEquals(3, plain.seed().orElseThrow());

        String own = "\"top_k\": 7, \"temperature\": 0";
        SamplingOptions changed =
                sampled(
                        path,
                        "{"
                                + fields
                                + ", "
                                + (where == null ? own : "\"" + where + "\": {" + own + "}")
                                + "}");

        assertEquals(0f, changed.temperature());
        assertEquals(new SamplingOptions.Cutoffs(7, 0.5f, 0.125f), changed.cutoffs());
    }

    @Test
    void tokensOfTheRequestEndAResponseBesideTheModels() throws Exception {
        try (TestServer withEnd = TestServer.of(engine)) {
            withEnd.post("/v1/completions", "{\"prompt\": \"a\"}");
            Set<Integer> usual = engine.requests.getLast().ending().endTokens();
            assertFalse(usual.isEmpty());
            Set<Integer> both = new HashSet<>(usual);
            both.add(5);

            withEnd.post(
                    "/v1/completions",
                    "{\"prompt\": \"a\", \"stop_token_ids\": [5], \"min_tokens\": 2}");
            GenerationRequest request = engine.requests.getLast();
            assertEquals(both, request.ending().endTokens());
            assertEquals(
                    new AdvancedSampling.EndDelay(2, both),
                    request.choice().sampling().advanced().endDelay());

            withEnd.post(
                    "/v1/completions",
                    "{\"prompt\": \"a\", \"stop_token_ids\": [5], \"ignore_eos\": true}");
            assertEquals(Set.of(5), engine.requests.getLast().ending().endTokens());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "[-1]", "[100000000]", "[\"a\"]"})
    void wrongTokensAreRefused(String tokens) throws Exception {
        HttpResponse<String> response =
                server.post(
                        "/v1/completions",
                        "{\"prompt\": \"Why?\", \"stop_token_ids\": " + tokens + "}");

        assertEquals(400, response.statusCode());
        assertTrue(response.body().contains("stop_token_ids"), response.body());
    }

    @Test
    void propertiesShowAllLevels() throws Exception {
        JsonNode props = TestServer.json(server.get("/props"));

        assertEquals(0.75, props.at("/sampling/file/top_p").doubleValue());
        assertTrue(props.at("/sampling/file/min_p").isMissingNode());
        assertEquals(0.5, props.at("/sampling/server/top_p").doubleValue());
        assertEquals(0.5, props.at("/sampling/effective/top_p").doubleValue());
        assertEquals(20, props.at("/sampling/effective/top_k").intValue());
        assertEquals(1.0, props.at("/sampling/effective/repeat_penalty").doubleValue());
        assertEquals(3, props.at("/sampling/effective/seed").intValue());
        assertEquals(0.25, props.at("/default_generation_settings/temperature").doubleValue());
    }

    @Test
    void responsesRepeatTheEffectiveTemperature() throws Exception {
        JsonNode response =
                TestServer.json(
                        server.post("/v1/responses", "{\"input\": \"Why?\", \"top_p\": 0.875}"));

        assertEquals(0.25, response.get("temperature").doubleValue());
        assertEquals(0.875, response.get("top_p").doubleValue());
    }
}
