package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A demo model over two processes whose draft is in a third one: the same answers, whatever dies.
 */
@Timeout(180)
class RemoteDraftIT {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final List<String> QUESTIONS =
            List.of("What is Varve?", "What is the prefix cache?", "What is 123 + 456?");

    @TempDir Path folder;

    private static JsonNode ask(HttpClient http, Varve.Server server, String question)
            throws Exception {
        ObjectNode body = JSON.createObjectNode().put("temperature", 0);
        body.putArray("messages").addObject().put("role", "user").put("content", question);
        HttpResponse<String> response =
                http.send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/v1/chat/completions"))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode(), response.body());
        return JSON.readTree(response.body());
    }

    private static String text(JsonNode answer) {
        return answer.at("/choices/0/message/content").asString();
    }

    private static int drafted(JsonNode answer) {
        return answer.at("/timings/draft_tokens").asInt();
    }

    /** It is the one that was given the draft model. */
    private static ProcessHandle draft(Varve.Server server) {
        return server.children().stream()
                .filter(
                        child ->
                                child.info().arguments().stream()
                                        .flatMap(Stream::of)
                                        .anyMatch(argument -> argument.endsWith("-draft.gguf")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no process of a draft model"));
    }

    @Test
    void answersAreThoseWithoutADraft() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        String model = DemoFamily.QWEN35.reference();
        Varve varve = new Varve(Varve.INSTALLATION, folder).forFewStarts();
        try (HttpClient http = HttpClient.newHttpClient();
                Varve.Server plain =
                        varve.serve("--model", model, "--threads", 1, "--draft", "off");
                Varve.Server split =
                        varve.serve(
                                "--model",
                                model,
                                "--threads",
                                1,
                                "--target-devices",
                                "cpu:0,cpu:0@process",
                                "--draft-device",
                                "cpu:0@process",
                                "--draft-width",
                                7)) {
            for (String question : QUESTIONS) {
                JsonNode answer = ask(http, split, question);
                assertEquals(text(ask(http, plain, question)), text(answer));
                assertTrue(drafted(answer) > 0, answer.toString());
            }

            draft(split).destroyForcibly();

            String question = "What is KV Flash?";
            String expected = text(ask(http, plain, question));
            assertEquals(expected, text(ask(http, split, question)));
            Await.until("there are guesses again", () -> guesses(http, split, question, expected));
        }
    }

    private static boolean guesses(
            HttpClient http, Varve.Server server, String question, String expected) {
        try {
            JsonNode answer = ask(http, server, question);
            assertEquals(expected, text(answer));
            return drafted(answer) > 0;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
