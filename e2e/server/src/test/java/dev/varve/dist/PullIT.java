package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;
import dev.varve.testkit.LocalHub;
import dev.varve.testkit.LocalHub.Fault;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** From an empty machine to a served model of a hub, also when the first process is killed. */
@Timeout(180)
class PullIT {
    private static final String REPOSITORY = "varve/demo-GGUF";

    @TempDir Path folder;

    private LocalHub hub;
    private Varve varve;

    @BeforeEach
    void start() throws IOException {
        hub =
                LocalHub.start()
                        .put(
                                REPOSITORY,
                                "varve-demo-qwen35-Q8_0.gguf",
                                Files.readAllBytes(
                                        Varve.INSTALLATION.resolve(
                                                "models/varve-demo-qwen35.gguf")));
        varve =
                new Varve(Varve.INSTALLATION, folder)
                        .with("HF_ENDPOINT", hub.endpoint())
                        .with("HF_HOME", folder.resolve("hf").toString())
                        .with("no_proxy", "127.0.0.1")
                        // Making a record of the start would delay the downloads.
                        .with("VARVE_AOT", "off");
    }

    @AfterEach
    void stop() {
        hub.close();
    }

    private Path part() {
        return folder.resolve("hf/hub/models--varve--demo-GGUF/blobs");
    }

    @Test
    void aKilledDownloadIsResumedServedListedAndRemoved() throws Exception {
        Fault.Stall stalled = Fault.Stall.after(2_000_000);
        hub.fail(stalled);
        try (Varve.Server killed = varve.begin("pull", REPOSITORY)) {
            Await.latch(stalled.reached());
            Await.until("a part of the file", () -> partBytes() > 1_000_000);
            killed.kill();
            assertTrue(killed.ends());
        }

        Varve.Outcome pulled = varve.run("pull", REPOSITORY);

        assertEquals(0, pulled.status(), pulled.toString());
        assertTrue(pulled.err().contains("varve serve --hf " + REPOSITORY + ":Q8_0"), pulled.err());
        assertTrue(
                hub.contentRequests().getLast().header("Range").isPresent(),
                "the second process resumes");
        int requests = hub.requests().size();
        try (Varve.Server server = varve.serve("--hf", REPOSITORY)) {
            assertTrue(chat(server).contains("\"content\""), chat(server));
        }
        assertEquals(requests, hub.requests().size(), "a downloaded model needs no hub");
        Varve.Outcome listed = varve.run("models");
        assertTrue(
                listed.out()
                        .lines()
                        .anyMatch(
                                line ->
                                        line.contains("hf:" + REPOSITORY + ":Q8_0")
                                                && line.contains("cpu:0")),
                listed.out());
        assertEquals(0, varve.run("rm", REPOSITORY).status());
        assertTrue(Files.notExists(part()));
    }

    @Test
    void twoProcessesDownloadAModelOnce() throws Exception {
        Fault.Stall stalled = Fault.Stall.after(1_000_000);
        hub.fail(stalled);
        try (Varve.Server first = varve.begin("pull", REPOSITORY)) {
            Await.latch(stalled.reached());
            try (Varve.Server second = varve.begin("pull", REPOSITORY)) {
                Await.until(
                        "the second process to wait",
                        () -> err(second).contains("another process downloads it"));
                stalled.resume().countDown();

                assertTrue(first.ends() && second.ends());
                assertEquals(0, first.status(), first.err());
                assertEquals(0, second.status(), second.err());
            }
        }
        assertEquals(1, hub.contentRequests().size());
    }

    private long partBytes() {
        try (var files = Files.list(part())) {
            Optional<Path> part =
                    files.filter(file -> file.toString().endsWith(".varve-part")).findFirst();
            return part.isPresent() ? Files.size(part.get()) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    private static String err(Varve.Server process) {
        try {
            return process.err();
        } catch (IOException e) {
            return "";
        }
    }

    private static String chat(Varve.Server server) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(
                                            URI.create(server.url() + "/v1/chat/completions"))
                                    .header("Content-Type", "application/json")
                                    .POST(
                                            HttpRequest.BodyPublishers.ofString(
                                                    "{\"messages\": [{\"role\": \"user\","
                                                            + " \"content\": \"What is 7 + 5?\"}],"
                                                            + " \"max_tokens\": 8}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
