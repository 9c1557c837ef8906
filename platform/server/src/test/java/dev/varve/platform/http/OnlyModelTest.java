package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.http.serving.ModelManager;
import dev.varve.platform.http.serving.ModelNameResolver;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;
import java.util.Map;

/** Names of models on a server that has one. */
@Timeout(60)
class OnlyModelTest {
    private final ScriptedEngine engine = new ScriptedEngine().says(SmallChat.answer("ok"));

    @AfterEach
    void stop() {
        engine.close();
    }

    private static TestServer server(ModelManager models) {
        TestServer server = TestServer.loading(HttpOptions.loopback());
        server.server.ready(models);
        return server;
    }

    private static String body(String path) {
        String prompt =
                switch (path) {
                    case "/v1/completions" -> "\"prompt\": \"a\"";
                    case "/v1/responses" -> "\"input\": \"a\"";
                    default -> "\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]";
                };
        return "{" + prompt + ", \"max_tokens\": 9, \"model\": \"llama3.2:latest\"}";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/completions"})
    void anyNameSelectsTheOnlyModel(String path) throws Exception {
        try (ModelManager models = ModelManager.of(SmallChat.served(engine));
                TestServer server = server(models)) {
            HttpResponse<String> response = server.post(path, body(path));

            assertEquals(200, response.statusCode(), response.body());
            assertEquals("small", TestServer.json(response).get("model").stringValue());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/completions"})
    void strictServerRefusesOtherNames(String path) throws Exception {
        ModelNameResolver strict = new ModelNameResolver(Map.of(), true);
        try (ModelManager models = ModelManager.of(SmallChat.served(engine), "Small", strict);
                TestServer server = server(models)) {
            assertEquals(404, server.post(path, body(path)).statusCode());
            assertEquals(404, server.get("/v1/models/llama3.2:latest").statusCode());
            assertEquals(404, server.get("/status?model=other").statusCode());
            assertEquals(200, server.get("/v1/models/small").statusCode());
        }
    }
}
