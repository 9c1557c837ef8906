package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.LocalHub;
import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Commands that download, list and delete models. */
class HubCommandsTest {
    private record Outcome(int status, String out, String err) {}

    private static final String MODEL = "acme/tiny-GGUF:Q8_0";

    @TempDir Path folder;

    private LocalHub hub;
    private byte[] content;

    @BeforeEach
    void start() throws IOException {
        content = Files.readAllBytes(Qwen35Model.tiny().write(folder));
        hub = LocalHub.start().put("acme/tiny-GGUF", "tiny-Q8_0.gguf", content);
    }

    @AfterEach
    void stop() {
        hub.close();
    }

    private Outcome run(String... arguments) {
        return run(Map.of(), arguments);
    }

    private Outcome run(Map<String, String> more, String... arguments) {
        Map<String, String> variables =
                new HashMap<>(
                        Map.of(
                                "HOME", folder.resolve("user").toString(),
                                "VARVE_CACHE", folder.resolve("cache").toString(),
                                "HF_ENDPOINT", hub.endpoint()));
        variables.putAll(more);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status =
                VarveCommand.execute(
                        new Environment(variables, Optional.of(folder.resolve("home")), Set.of()),
                        new PrintWriter(out),
                        new PrintWriter(err),
                        arguments);
        return new Outcome(status, out.toString(), err.toString());
    }

    private static String line(Outcome outcome, String part) {
        return outcome.out().lines().filter(each -> each.contains(part)).findFirst().orElse("");
    }

    @Test
    void aPulledModelIsListedAndRemoved() throws IOException {
        Outcome pulled = run("pull", MODEL);
        assertEquals(0, pulled.status(), pulled.toString());
        Path file = Path.of(pulled.out().strip());
        assertArrayEquals(content, Files.readAllBytes(file));
        assertTrue(file.startsWith(folder.resolve("user/.cache/huggingface/hub")), pulled.out());

        assertTrue(
                line(run("models"), "hf:" + MODEL).contains("qwen35 (no plugin)"),
                run("models").toString());
        Outcome removed = run("rm", MODEL);

        assertEquals(0, removed.status(), removed.toString());
        assertTrue(removed.out().endsWith(" freed\n"), removed.out());
        assertEquals("", line(run("models"), "hf:" + MODEL));
        Outcome again = run("rm", MODEL);
        assertEquals(1, again.status());
        assertTrue(again.err().contains(MODEL + ": not downloaded"), again.err());
    }

    @ParameterizedTest
    @CsvSource({"--hf, acme/tiny-GGUF:Q8_0", "--hf, acme/tiny-GGUF", "--model, hf:acme/tiny-GGUF"})
    void aCommandDownloadsTheModelThatItNamesOnce(String flag, String model) {
        Outcome first = run("inspect", flag, model);
        int requests = hub.requests().size();
        Outcome second = run("inspect", flag, model);

        assertEquals(0, first.status(), first.toString());
        assertTrue(first.out().contains("tiny-Q8_0.gguf: GGUF version 3"), first.out());
        assertEquals(first.out(), second.out());
        assertEquals(requests, hub.requests().size(), "the second command requests nothing");
    }

    @Test
    void aModelOfAUrlIsDownloadedListedAndRemoved() {
        String url = hub.contentUrl("acme/tiny-GGUF", "tiny-Q8_0.gguf");

        Outcome outcome = run("inspect", "--model-url", url);

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.out().contains("architecture qwen35"), outcome.out());
        assertTrue(line(run("models"), url).contains("qwen35"), "the name that rm accepts");
        assertEquals(0, run("rm", url).status());
        assertEquals("", line(run("models"), "tiny-Q8_0.gguf"));
        assertEquals(1, run("rm", url).status());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "pull                      | 2 | expected MODEL, found none",
                "pull model.gguf           | 2 | expected a model of the form owner/repository",
                "pull https://host/x.bin   | 2 | expected the address of a GGUF file",
                "inspect --hf x            | 2 | expected a model of the form owner/repository",
                "inspect --hf a/b --hf c/d | 2 | --model: expected one model, found 2",
                "pull https://u:p@host/x.gguf | 2 | without a user, found https://host/x.gguf",
                "pull https://host/x.gguf?k={  | 2 | expected an address: Illegal character",
                "inspect --model hf:x      | 2 | expected a model of the form owner/repository",
                "pull acme/tiny-GGUF:Q4_0  | 1 | acme/tiny-GGUF has no Q4_0; it has Q8_0",
                "pull https://host/x.gguf --with-draft | 2 | need a repository",
            })
    void mistakesAreReported(String arguments, int status, String message) {
        Outcome outcome = run(arguments.split(" "));

        assertEquals(status, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains(message), outcome.err());
    }

    @Test
    void anEndpointThatIsNoneIsReported() {
        Outcome outcome = run(Map.of("HF_ENDPOINT", "mirror"), "pull", MODEL);

        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("HF_ENDPOINT: expected an address"), outcome.err());
    }

    @Test
    void modelsOfOtherProgramsAreListedOnRequest() throws IOException {
        Path file = folder.resolve("user/.lmstudio/models/acme/tiny/tiny.gguf");
        Files.createDirectories(file.getParent());
        Files.write(file, content);

        assertEquals("", line(run("models"), "acme/tiny/tiny.gguf"));
        Outcome outcome = run("models", "--discover");

        assertTrue(line(outcome, file.toString()).endsWith("acme/tiny/tiny.gguf"), outcome.out());
    }

    @Test
    void nothingIsRequestedWithoutANamedModel() {
        run("models");
        run("models", "--discover");
        run("devices");

        assertEquals(List.of(), hub.requests());
        assertFalse(Files.exists(folder.resolve("user/.cache")));
    }
}
