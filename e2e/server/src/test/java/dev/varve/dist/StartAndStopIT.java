package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;
import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;

/** A server checks its files and options before it listens. Signals set the exit status. */
@Timeout(120)
class StartAndStopIT {
    @TempDir static Path folder;

    private static Varve varve;
    private static Path model;

    @BeforeAll
    static void writeModel() throws Exception {
        varve = new Varve(Varve.INSTALLATION, folder);
        model = Qwen35Model.odd(8).write(folder);
    }

    private static void endsBeforeItListens(String message, Object... arguments) throws Exception {
        Object[] all = new Object[arguments.length + 3];
        all[0] = "serve";
        all[1] = "--port";
        all[2] = 0;
        System.arraycopy(arguments, 0, all, 3, arguments.length);

        Varve.Outcome outcome = varve.run(all);

        assertTrue(outcome.status() == 1 || outcome.status() == 2, outcome.toString());
        assertTrue(outcome.err().contains(message), outcome.toString());
        assertFalse(outcome.err().contains("listening"), outcome.toString());
    }

    @Test
    void configurationErrorsAreFoundBeforeTheServerListens() throws Exception {
        Path notes = Files.writeString(folder.resolve("notes.gguf"), "no model");
        Path broken = Files.writeString(folder.resolve("broken.jinja"), "{% if x %}");
        Path failing = Files.writeString(folder.resolve("failing.jinja"), "{{ messages | nope }}");

        endsBeforeItListens("notes.gguf: ", "--model", notes);
        endsBeforeItListens("--max-ctx: expected 1 to", "--model", model, "--max-ctx", 1 << 30);
        endsBeforeItListens(
                "--chat-template-file: " + failing + ": chat template line 1",
                "--model",
                model,
                "--chat-template-file",
                failing);
        if (Effort.isFull()) {
            endsBeforeItListens("no-such.gguf: no such file", "--model", "no-such.gguf");
            endsBeforeItListens(
                    "--chat-template-file: " + broken + ": chat template line 1",
                    "--model",
                    model,
                    "--chat-template-file",
                    broken);
        }
    }

    @Test
    @Tag("nightly")
    void templateThatRefusesAPlainMessageIsServedWithAWarning() throws Exception {
        Path strict =
                Files.writeString(
                        folder.resolve("strict.jinja"), "{{ raise_exception('tools wanted') }}");
        try (Varve.Server server = varve.serve("--model", model, "--chat-template-file", strict)) {
            assertTrue(
                    server.err()
                            .contains(
                                    "the template rejects a chat with one plain message: tools"
                                            + " wanted"),
                    server.err());
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    @ByDay(1)
    void exitStatusReportsTheSignal(String signal, int status) throws Exception {
        String address = "unix:" + folder.resolve("run").resolve(signal);
        try (Varve.Server server = varve.serve("--model", model);
                Varve.Server shard = varve.shard(address)) {
            server.signal(signal);
            shard.signal(signal);

            assertTrue(server.ends() && shard.ends());
            assertEquals(status, server.status(), server.err());
            assertEquals(status, shard.status(), shard.err());
            assertTrue(server.err().contains(" INFO  stopped"), server.err());
            assertFalse(Files.exists(folder.resolve("run").resolve(signal)), "the socket stays");
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    @ByDay(2)
    void secondSignalStopsAServerWithRunningStreams(String signal, int status) throws Exception {
        try (Varve.Server server = varve.serve("--model", "demo:qwen35");
                HttpClient client = HttpClient.newHttpClient()) {
            Iterator<String> lines = longAnswer(client, server);
            lines.next();

            server.signal(signal);
            Await.value("a stop", () -> err(server), err -> err.contains(" INFO  stopping"));
            server.signal(signal);

            assertTrue(server.ends());
            assertEquals(status, server.status(), server.err());
            assertTrue(server.err().contains(" INFO  second signal"), server.err());
            assertTrue(server.err().contains(" INFO  stopped"), server.err());
            String last = "";
            while (lines.hasNext()) {
                String line = lines.next();
                last = line.contains("\"error\"") ? line : last;
            }
            assertTrue(last.contains("\"code\":\"shutting_down\""), last);
        }
    }

    /** One that takes longer than a second signal. */
    private static Iterator<String> longAnswer(HttpClient client, Varve.Server server)
            throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.url() + "/v1/completions"))
                        .header("Content-Type", "application/json")
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"prompt\": \"a\", \"stream\": true, \"ignore_eos\":"
                                                + " true, \"max_tokens\": 8000}"))
                        .build();
        return client.send(request, HttpResponse.BodyHandlers.ofLines()).body().iterator();
    }

    private static String err(Varve.Server server) {
        try {
            return server.err();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
