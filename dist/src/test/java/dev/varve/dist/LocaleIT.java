package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;

/**
 * The installation under a locale with Arabic digits, and under one where the lower case of "I" is
 * not "i". Properties set the runtime's locale, since the system may lack these locales.
 */
@Tag("nightly")
@Timeout(240)
class LocaleIT {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir static Path folder;

    private static Path split;

    @BeforeAll
    static void writeSplitModel() throws Exception {
        split =
                Qwen35Model.odd(2)
                        .withType(TensorType.Q8_0)
                        .writer()
                        .writeSplit(folder, "split", 3)
                        .getFirst();
    }

    private static Varve varve(String language, String country) {
        return new Varve(Varve.INSTALLATION, folder)
                .with("LANG", language + "_" + country + ".UTF-8")
                .with("VARVE_AOT", "off")
                .with(
                        "VARVE_JAVA_OPTS",
                        "-Duser.language=" + language + " -Duser.country=" + country);
    }

    @ParameterizedTest
    @CsvSource({"ar, EG", "tr, TR"})
    void splitModelGivesTheSameInEveryLocale(String language, String country) throws Exception {
        Object[] generate = {
            "generate",
            "--model",
            split,
            "--tokens",
            "1,2,3",
            "--max-tokens",
            8,
            "--temperature",
            "0.0",
            "--ignore-eos",
            "--json"
        };

        Varve.Outcome there = varve(language, country).run(generate);
        Varve.Outcome here = varve("en", "US").run(generate);

        assertEquals(0, there.status(), there.toString());
        JsonNode answer = JSON.readTree(there.out());
        assertEquals(JSON.readTree(here.out()).get("tokens"), answer.get("tokens"));
        assertTrue(answer.at("/timings/load_ms").isNumber(), there.out());
    }

    @ParameterizedTest
    @CsvSource({"ar, EG", "tr, TR"})
    void planUsesAsciiDigits(String language, String country) throws Exception {
        Varve.Outcome people = varve(language, country).run("plan", "--model", split);
        Varve.Outcome machine = varve(language, country).run("plan", "--model", split, "--json");

        assertEquals(0, people.status(), people.toString());
        assertPlain(people.out() + people.err());
        assertTrue(people.out().matches("(?s).*[0-9]+\\.[0-9]+ .*"), people.out());
        assertPlain(machine.out());
        assertTrue(JSON.readTree(machine.out()).isObject(), machine.out());
    }

    @ParameterizedTest
    @CsvSource({"ar, EG", "tr, TR"})
    void serverUsesAsciiDigits(String language, String country) throws Exception {
        try (Varve.Server server = varve(language, country).serve("--model", split);
                HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> completion =
                    client.send(
                            HttpRequest.newBuilder(URI.create(server.url() + "/v1/completions"))
                                    .header("Content-Type", "application/json")
                                    .POST(
                                            HttpRequest.BodyPublishers.ofString(
                                                    "{\"prompt\": [1, 2], \"max_tokens\": 4,"
                                                            + " \"stop\": [\"I\"]}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            String metrics =
                    client.send(
                                    HttpRequest.newBuilder(URI.create(server.url() + "/metrics"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body();

            assertEquals(200, completion.statusCode(), completion.body());
            assertTrue(
                    JSON.readTree(completion.body()).at("/usage/prompt_tokens").isNumber(),
                    completion.body());
            assertTrue(metrics.contains("varve_requests_total{"), metrics);
            assertPlain(metrics);
            assertPlain(server.url() + server.err());
        }
    }

    private static void assertPlain(String text) {
        assertTrue(text.chars().allMatch(c -> c < 0x80), text);
    }
}
