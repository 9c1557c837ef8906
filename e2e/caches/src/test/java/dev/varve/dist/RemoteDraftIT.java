package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A demo model with its draft model in a separate process. The answers stay the same if the process
 * dies. The server accepts as many draft tokens as with the draft model in its own process.
 */
@Timeout(180)
@Tag("nightly")
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

    /** The state of the draft model's process, as the server reports it. */
    private static JsonNode props(HttpClient http, Varve.Server server) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "/props")).build();
        String body = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        return JSON.readTree(body).at("/runtime/draft");
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
    void outputEqualsPlainDecoding() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        String model = DemoFamily.QWEN35.reference();
        Varve varve = new Varve(Varve.INSTALLATION, folder);
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

            assertEquals("ready", props(http, split).get("state").asString());

            draft(split).destroyForcibly();

            String question = "What is KV Flash?";
            String expected = text(ask(http, plain, question));
            assertEquals(expected, text(ask(http, split, question)));
            Await.until("there are guesses again", () -> guesses(http, split, question, expected));
            JsonNode restarted = props(http, split);
            assertEquals("cpu:0@process", restarted.get("device").asString());
            assertEquals(1, restarted.get("restarts").asInt(), restarted.toString());
        }
    }

    /** The counts of draft tokens, accepted tokens and verification steps of an answer. */
    private static List<Integer> guesses(JsonNode answer) {
        return Stream.of("draft_tokens", "accepted_tokens", "verify_steps")
                .map(field -> answer.at("/timings/" + field).asInt())
                .toList();
    }

    @Test
    void draftOverGrpcDraftsLikeALocalOne() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        Varve varve = new Varve(Varve.INSTALLATION, folder);
        try (Varve.Server shard = varve.shard("grpc:127.0.0.1:0", "--device", "cpu:0")) {
            requireAlike(
                    varve,
                    List.of("--target-devices", "cpu:0", "--draft-device", "cpu:0"),
                    List.of("--target-devices", "cpu:0", "--draft-device", "cpu:0@" + shard.url()));
        }
    }

    @Test
    void remoteDraftBesideAVulkanDeviceDraftsLikeALocalOne() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        Varve varve = new Varve(Varve.INSTALLATION, folder);
        String devices = varve.run("devices").out();
        assumeTrue(devices.contains("vulkan:0"), devices);
        requireAlike(
                varve,
                List.of("--target-devices", "cpu:0,vulkan:0", "--draft-device", "cpu:0"),
                List.of(
                        "--target-devices",
                        "cpu:0,vulkan:0@process",
                        "--draft-device",
                        "cpu:0@process"));
    }

    /** Two arrangements of devices that differ in their processes only. */
    private static void requireAlike(Varve varve, List<String> here, List<String> there)
            throws Exception {
        try (HttpClient http = HttpClient.newHttpClient();
                Varve.Server local = serve(varve, here);
                Varve.Server remote = serve(varve, there)) {
            for (String question : QUESTIONS) {
                JsonNode expected = ask(http, local, question);
                assertTrue(drafted(expected) > 0, expected.toString());
                Await.value(
                        "guesses in time for " + question,
                        () -> answer(http, remote, question, text(expected)),
                        answer -> guesses(answer).equals(guesses(expected)));
            }
        }
    }

    private static Varve.Server serve(Varve varve, List<String> devices) throws IOException {
        Stream<Object> common =
                Stream.of(
                        "--model",
                        DemoFamily.QWEN35.reference(),
                        "--threads",
                        1,
                        "--draft-width",
                        7);
        return varve.serve(Stream.concat(common, devices.stream()).toArray());
    }

    /** Draft tokens may arrive too late for a step. The answer always has the expected tokens. */
    private static JsonNode answer(
            HttpClient http, Varve.Server server, String question, String expected) {
        try {
            JsonNode answer = ask(http, server, question);
            assertEquals(expected, text(answer));
            return answer;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static boolean guesses(
            HttpClient http, Varve.Server server, String question, String expected) {
        return drafted(answer(http, server, question, expected)) > 0;
    }
}
