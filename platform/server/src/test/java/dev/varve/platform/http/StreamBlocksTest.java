package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;
import java.util.List;

/**
 * Each block of a stream is an event with data: clients that take a comment with an empty line
 * behind it for an event fail on its missing data.
 */
@Timeout(120)
class StreamBlocksTest {
    private final ScriptedEngine engine =
            new ScriptedEngine().says(TestServer.ids("one two three"));

    @AfterEach
    void stop() {
        engine.close();
    }

    /** Fails unless each block of {@code stream} has data. */
    static void requireData(String stream) {
        List<String> empty =
                stream
                        .replace("\r\n", "\n")
                        .replaceFirst("\n\n\\z", "")
                        .transform(text -> List.of(text.split("\n\n", -1)))
                        .stream()
                        .filter(block -> block.lines().noneMatch(line -> line.startsWith("data:")))
                        .toList();
        assertEquals(List.of(), empty, stream);
    }

    private static String body(String path) {
        return switch (path) {
            case "/v1/completions", "/completion" -> "{\"prompt\": \"a\", \"stream\": true}";
            case "/v1/responses" -> "{\"input\": \"Hi\", \"stream\": true}";
            default -> TestServer.chatBody("\"max_tokens\": 9, \"stream\": true");
        };
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/chat/completions",
                "/v1/messages",
                "/v1/responses",
                "/v1/completions",
                "/completion"
            })
    void everyBlockHasData(String path) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> plain = server.post(path, body(path));
            HttpResponse<String> kept = server.post(path, body(path), "x-varve-resumable", "1");
            String stream = kept.headers().firstValue("x-varve-stream").orElseThrow();
            HttpResponse<String> again = server.get("/v1/streams/" + stream + "?after=1");

            for (HttpResponse<String> response : List.of(plain, kept, again)) {
                assertEquals(200, response.statusCode(), response.body());
                assertTrue(response.body().endsWith("\n\n"), response.body());
                requireData(response.body());
            }
        }
    }
}
