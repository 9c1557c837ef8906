package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.intake.IngressLimits;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** {@code POST /v1/chat/completions/control} ends the reasoning of an active response. */
@Timeout(60)
class ReasoningControlTest {
    private static final String CONTROL = "/v1/chat/completions/control";
    private static final String CHAT =
            "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}], \"stream\": true,"
                    + " \"reasoning_control\": true, \"reasoning_effort\": \"high\"}";

    private final CountDownLatch ended = new CountDownLatch(1);
    private final ScriptedEngine engine =
            new ScriptedEngine()
                    .hasContext(4000)
                    .says(SmallChat.answer("0123456789abcdef"))
                    .pausesBehind(5, ended);

    @AfterEach
    void stop() {
        ended.countDown();
        engine.close();
    }

    private TestServer server(String... keys) {
        TestServer test =
                TestServer.loading(
                        new HttpOptions(
                                ListenAddress.LOOPBACK,
                                new ClientAccessSettings(
                                        Set.of(keys),
                                        ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                        CorsAndHostOptions.NONE),
                                IngressLimits.DEFAULT));
        test.server.ready(SmallChat.served(engine));
        return test;
    }

    private static String end(String id) {
        return "{\"id\": \"" + id + "\", \"action\": \"reasoning_end\"}";
    }

    /** Begins a response and returns its stream behind the first event, which has the id. */
    private static BufferedReader begin(HttpClient client, TestServer server, String key)
            throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.server.uri() + "/v1/chat/completions"))
                        .header("Authorization", "Bearer " + key)
                        .POST(HttpRequest.BodyPublishers.ofString(CHAT))
                        .build();
        HttpResponse<InputStream> response =
                client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        assertEquals(200, response.statusCode());
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    private static String id(BufferedReader stream) throws Exception {
        String line = stream.readLine();
        while (!line.startsWith("data: {")) {
            line = stream.readLine();
        }
        return Json.MAPPER.readTree(line.substring("data: ".length())).get("id").stringValue();
    }

    @Test
    void reasoningEndsAsIfItsBudgetWereUsedUp() throws Exception {
        try (TestServer server = server("one");
                HttpClient client = HttpClient.newHttpClient();
                BufferedReader stream = begin(client, server, "one")) {
            String id = id(stream);

            HttpResponse<String> response =
                    server.post(CONTROL, end(id), "Authorization", "Bearer one");
            ended.countDown();

            assertEquals(200, response.statusCode(), response.body());
            assertEquals("{\"success\":true}", response.body());
            StringBuilder reasoning = new StringBuilder();
            StringBuilder content = new StringBuilder();
            String kind = "";
            for (String line : stream.lines().toList()) {
                if (line.startsWith("data: {")) {
                    JsonNode event = Json.MAPPER.readTree(line.substring("data: ".length()));
                    JsonNode choice = event.at("/choices/0");
                    reasoning.append(choice.at("/delta/reasoning_content").asString(""));
                    content.append(choice.at("/delta/content").asString(""));
                    kind = choice.at("/finish_details/close_kind").asString(kind);
                }
            }
            // The token at which the engine waited was chosen before.
            assertEquals("012345\n", reasoning.toString());
            assertEquals("6789abcdef", content.toString());
            assertEquals("hard", kind);
        }
    }

    @Test
    void otherKeysMayNotEndIt() throws Exception {
        try (TestServer server = server("one", "two");
                HttpClient client = HttpClient.newHttpClient();
                BufferedReader stream = begin(client, server, "one")) {
            String id = id(stream);

            HttpResponse<String> response =
                    server.post(CONTROL, end(id), "Authorization", "Bearer two");

            assertEquals(403, response.statusCode(), response.body());
        }
    }

    @Test
    void unknownResponseIsNotFound() throws Exception {
        try (TestServer server = SmallChat.server(engine)) {
            HttpResponse<String> response = server.post(CONTROL, end("chatcmpl-x"));

            assertEquals(404, response.statusCode(), response.body());
            assertEquals(
                    "request_not_found", TestServer.json(response).at("/error/code").stringValue());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"action\": \"reasoning_end\"} | id",
                "{\"id\": 1, \"action\": \"reasoning_end\"} | id",
                "{\"id\": \"x\"} | action",
                "{\"id\": \"x\", \"action\": \"stop\"} | action"
            })
    void wrongFieldIsNamed(String body, String field) throws Exception {
        try (TestServer server = SmallChat.server(engine)) {
            HttpResponse<String> response = server.post(CONTROL, body);

            assertEquals(400, response.statusCode(), response.body());
            assertEquals(field, TestServer.json(response).at("/error/param").stringValue());
        }
    }
}
