package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Servers whose attention cache is bounded, with a model that finds things in long texts. */
@Timeout(300)
class PagingIT {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int POOL = 512;
    private static final String FILLER = "The sea is deep. Snow is white. Water is wet. ";

    @TempDir static Path folder;

    private static HttpClient http;
    private static Varve varve;

    @BeforeAll
    static void prepare() throws Exception {
        DemoFamily.QWEN35.requireInstalled();
        http = HttpClient.newHttpClient();
        varve = new Varve(Varve.INSTALLATION, folder);
    }

    @AfterAll
    static void end() {
        if (http != null) {
            http.close();
        }
    }

    private static Varve.Server serve(Object... more) throws Exception {
        List<Object> arguments =
                new ArrayList<>(
                        List.of(
                                "--model",
                                DemoFamily.QWEN35.reference(),
                                "--threads",
                                1,
                                "--cache-type-k",
                                "q8_0",
                                "--cache-type-v",
                                "q8_0"));
        arguments.addAll(List.of(more));
        return varve.serve(arguments.toArray());
    }

    private static String get(Varve.Server server, String route) throws Exception {
        return http.send(
                        HttpRequest.newBuilder(URI.create(server.url() + route)).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Messages of both sides in turn, the user's first. */
    private static JsonNode ask(Varve.Server server, String... turns) throws Exception {
        ObjectNode body = JSON.createObjectNode().put("temperature", 0).put("max_tokens", 40);
        ArrayNode messages = body.putArray("messages");
        for (int turn = 0; turn < turns.length; turn++) {
            messages.addObject()
                    .put("role", turn % 2 == 0 ? "user" : "assistant")
                    .put("content", turns[turn]);
        }
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

    /** Some 2,000 tokens with a number near their beginning. */
    private static String longText(String thing, int number) {
        return FILLER.repeat(12)
                + "The door code of "
                + thing
                + " is: "
                + number
                + ". "
                + FILLER.repeat(100)
                + "\nQuestion: What is the door code of "
                + thing
                + "?";
    }

    @Test
    void evictedPagesAreRecalledByRelevanceAndNotByAge() throws Exception {
        String question = longText("the mill", 7381);
        JsonNode byQueries;
        try (Varve.Server server = serve("--kvflash", POOL, "--parallel", 1)) {
            byQueries = ask(server, question);
            JsonNode kvflash = JSON.readTree(get(server, "/props")).at("/runtime/kvflash");
            assertEquals(POOL, kvflash.get("pool_tokens").asInt());
            assertEquals("qk", kvflash.get("policy").asString());
            assertTrue(kvflash.get("host_bytes").asLong() > 0, kvflash::toString);
            assertTrue(get(server, "/metrics").contains("varve_kvflash_"), "metrics");
        }
        JsonNode byAge;
        try (Varve.Server server =
                serve("--kvflash", POOL, "--kvflash-policy", "lru", "--parallel", 1)) {
            byAge = ask(server, question);
        }

        assertTrue(text(byQueries).contains("7381"), byQueries::toString);
        assertTrue(!text(byAge).contains("7381"), byAge::toString);
        JsonNode pages = byQueries.at("/timings/kvflash");
        assertTrue(pages.get("pages_out").asInt() > 15, pages::toString);
        assertTrue(pages.get("recalls").asInt() > 0, pages::toString);
        assertNotEquals(0, byAge.at("/timings/kvflash/pages_out").asInt());
        assertEquals(0, byAge.at("/timings/kvflash/pages_in").asInt());
    }

    @Test
    @Tag("nightly")
    void splitOverAProcessEqualsTheWholeModelAndResumesUnsplit() throws Exception {
        String question = longText("the tower", 4926);
        JsonNode whole;
        try (Varve.Server server = serve("--kvflash", POOL)) {
            whole = ask(server, question);
        }
        Path store = folder.resolve("store");

        String next = "And what is 7 + 5?";
        JsonNode second;
        Varve.Server split =
                serve(
                        "--kvflash",
                        POOL,
                        "--target-devices",
                        "cpu:0,cpu:0@process",
                        "--kv-cache-dir",
                        store);
        try {
            JsonNode answer = ask(split, question);
            assertEquals(text(whole), text(answer));
            assertEquals(
                    whole.at("/timings/kvflash/pages_out"),
                    answer.at("/timings/kvflash/pages_out"));
            second = ask(split, question, text(answer), next);
            split.terminate();
            assertTrue(split.ends());
        } finally {
            split.close();
        }
        try (Varve.Server again = serve("--kvflash", POOL, "--kv-cache-dir", store)) {
            JsonNode answer = ask(again, question, text(whole), next);

            assertEquals(text(second), text(answer));
            assertTrue(
                    answer.at("/usage/prompt_tokens_details/cached_tokens").asInt() > 1500,
                    answer::toString);
            assertEquals("disk", answer.at("/timings/cache_source").asString());
        }
    }
}
