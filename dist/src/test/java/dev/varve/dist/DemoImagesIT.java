package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
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
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Drawings that the default demo model is asked about, in a server without any flag. */
@Timeout(300)
class DemoImagesIT {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int DRAWINGS = 50;
    private static final int LEAST_RIGHT = 45;

    @TempDir static Path folder;

    private static Varve varve;
    private static Varve.Server server;

    @BeforeAll
    static void start() throws Exception {
        Path made = DemoFamily.SOURCE.resolve("models/varve-demo-qwen35-mmproj.gguf");
        assumeTrue(Files.exists(made), () -> "no projector " + made);
        varve = new Varve(Varve.INSTALLATION, folder);
        server = DemoFamily.QWEN35.serve(varve);
    }

    @AfterAll
    static void stop() {
        Optional.ofNullable(server).ifPresent(Varve.Server::close);
    }

    @Test
    void mostDrawingsAreNamedRightly(TestReporter reporter) throws Exception {
        List<String> wrong = new ArrayList<>();
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (int i = 0; i < DRAWINGS; i++) {
                DemoDrawing drawing = DemoDrawing.of(i);
                String answer = ask(http, drawing).toLowerCase(Locale.ROOT);
                if (!drawing.words().stream().allMatch(answer::contains)) {
                    wrong.add(drawing.title() + ": " + drawing.question() + " -> " + answer);
                }
            }
        }

        int right = DRAWINGS - wrong.size();
        reporter.publishEntry("right", right + " of " + DRAWINGS);
        assertTrue(right >= LEAST_RIGHT, right + " right; wrong: " + wrong);
    }

    private static String ask(HttpClient http, DemoDrawing drawing) throws Exception {
        ObjectNode body = JSON.createObjectNode().put("temperature", 0).put("max_tokens", 32);
        ArrayNode parts =
                body.putArray("messages").addObject().put("role", "user").putArray("content");
        parts.addObject()
                .put("type", "image_url")
                .putObject("image_url")
                .put(
                        "url",
                        "data:image/png;base64,"
                                + Base64.getEncoder().encodeToString(drawing.png()));
        parts.addObject().put("type", "text").put("text", drawing.question());
        HttpResponse<String> response =
                http.send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/v1/chat/completions"))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode(), response.body());
        return JSON.readTree(response.body()).at("/choices/0/message/content").asString();
    }

    @Test
    void modelsAreListedWithWhatTheyRead() throws Exception {
        Varve.Outcome outcome = varve.run("models", "--json");

        for (JsonNode model : JSON.readTree(outcome.out())) {
            boolean sees = model.get("name").asString().equals("demo:qwen35");
            assertEquals(sees, model.get("images").asBoolean(), outcome.out());
        }
    }

    @Test
    void aDrawingIsAnIntroductionToTheCommandLine() throws Exception {
        DemoDrawing drawing = DemoDrawing.of(0);
        Path file = Files.write(folder.resolve("drawing.png"), drawing.png());

        Varve.Outcome outcome =
                varve.run("generate", "--image", file, "--chat", drawing.question(), "--temp", 0);

        assertEquals(0, outcome.status(), outcome.err());
        assertTrue(
                drawing.words().stream().allMatch(outcome.out()::contains),
                drawing.title() + ": " + outcome.out());
    }

    @Test
    void projectorCanBeLeftOut() throws Exception {
        Path file = Files.write(folder.resolve("blind.png"), DemoDrawing.of(0).png());

        Varve.Outcome outcome =
                varve.run("generate", "--mmproj", "none", "--image", file, "--chat", "What is it?");

        assertTrue(outcome.err().contains("--image: expected --mmproj"), outcome.err());
    }
}
