package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A demo model whose prompts are read in another process: shortened alike, whatever dies. */
@Timeout(180)
@Tag("nightly")
class RemoteDrafterIT {
    private static final JsonMapper JSON = JsonMapper.shared();

    @TempDir Path folder;

    private static Varve.Server serve(Varve varve, Object... more) throws Exception {
        return varve.serve(
                Stream.concat(
                                Stream.of(
                                        "--model",
                                        DemoFamily.QWEN35.reference(),
                                        "--threads",
                                        1,
                                        "--draft",
                                        "off",
                                        "--prefill-compression",
                                        "always"),
                                Stream.of(more))
                        .toArray());
    }

    /** A long prompt, which nobody has sent before. */
    private static JsonNode ask(HttpClient http, Varve.Server server, int number) throws Exception {
        ObjectNode body = JSON.createObjectNode().put("temperature", 0).put("max_tokens", 12);
        String notes =
                IntStream.range(0, 60)
                        .mapToObj(
                                i ->
                                        "Note "
                                                + (i + number)
                                                + ": the harbour of this town has boats and a"
                                                + " lamp.")
                        .collect(Collectors.joining(" "));
        body.putArray("messages")
                .addObject()
                .put("role", "user")
                .put("content", notes + "\n\nHow many notes are there?");
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

    private static boolean isShortened(JsonNode answer) {
        return !answer.at("/usage/compression").isMissingNode();
    }

    /** The fields of an answer that do not depend on timing. */
    private static List<String> outcome(JsonNode answer) {
        return Stream.of(
                        "/choices/0/message/content",
                        "/usage/effective_prompt_tokens",
                        "/usage/compression/keep_actual")
                .map(field -> answer.at(field).asString())
                .toList();
    }

    private static void requireAlike(Varve varve, String device) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient();
                Varve.Server here = serve(varve);
                Varve.Server there =
                        serve(
                                varve,
                                "--draft-device",
                                device,
                                "--draft-residency",
                                "request-scoped")) {
            for (int number = 0; number < 2; number++) {
                JsonNode expected = ask(http, here, number);
                assertTrue(isShortened(expected), expected.toString());
                assertEquals(outcome(expected), outcome(ask(http, there, number)));
            }
        }
    }

    @Test
    void remoteDrafterCompressesLikeALocalOne() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        requireAlike(new Varve(Varve.INSTALLATION, folder), "cpu:0@process");
    }

    /** Of a chat that went on, what stays is what its first turn was cut to. */
    @Test
    void remoteDrafterServesCompressionPreviews() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        ObjectNode chat = JSON.createObjectNode();
        ArrayNode messages = chat.putArray("messages");
        say(messages, "user", "The harbour of this town has boats. ".repeat(100) + "How many?");
        say(messages, "assistant", "Many.");
        say(messages, "user", "Thank you.");
        Path input = Files.writeString(folder.resolve("chat.json"), chat.toString());

        Varve.Outcome outcome =
                new Varve(Varve.INSTALLATION, folder)
                        .run(
                                "compress",
                                "--input",
                                input,
                                "--keep",
                                0.1,
                                "--draft-device",
                                "cpu:0@process",
                                "--json");

        assertEquals(0, outcome.status(), outcome.toString());
        JsonNode found = JSON.readTree(outcome.out());
        int tokens = found.get("prompt_tokens").intValue();
        assertTrue(found.get("effective_prompt_tokens").intValue() < tokens / 2, outcome.out());
        assertEquals("Thank you.", found.at("/messages/2/content").stringValue());
    }

    private static void say(ArrayNode messages, String role, String text) {
        messages.addObject().put("role", role).put("content", text);
    }

    @Test
    void grpcDrafterCompressesAsWell() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        Varve varve = new Varve(Varve.INSTALLATION, folder);
        try (Varve.Server shard = varve.shard("grpc:127.0.0.1:0", "--device", "cpu:0")) {
            requireAlike(varve, "cpu:0@" + shard.url());
        }
    }

    @Test
    void killedDrafterDisablesCompressionUntilItRecovers() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        Varve varve = new Varve(Varve.INSTALLATION, folder);
        List<ProcessHandle> children;
        try (HttpClient http = HttpClient.newHttpClient();
                Varve.Server server = serve(varve, "--draft-device", "cpu:0@process")) {
            assertTrue(isShortened(ask(http, server, 1)));
            ProcessHandle reader = server.children().getFirst();

            reader.destroyForcibly();
            reader.onExit().join();

            // Answered in any case; it is back before or behind this one.
            ask(http, server, 2);
            int[] number = {3};
            Await.until(
                    "prompts are shortened again",
                    () -> {
                        try {
                            return isShortened(ask(http, server, number[0]++));
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    });
            children = server.children();
            assertEquals(1, children.size());
        }
        // The server was killed.
        children.forEach(child -> child.onExit().join());
    }

    @Test
    void unreachableDrafterIsNamedAtStart() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        String nowhere = "cpu:0@unix:" + folder.resolve("nowhere");

        Varve.Outcome outcome =
                new Varve(Varve.INSTALLATION, folder)
                        .run(
                                "serve",
                                "--port",
                                0,
                                "--model",
                                DemoFamily.QWEN35.reference(),
                                "--draft",
                                "off",
                                "--prefill-compression",
                                "always",
                                "--draft-device",
                                nowhere);

        assertTrue(outcome.status() != 0, outcome.toString());
        assertTrue(outcome.err().contains("--draft-device"), outcome.toString());
        assertTrue(outcome.err().contains(nowhere), outcome.toString());
    }
}
