package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.net.http.HttpResponse.BodyHandlers.ofString;

import dev.varve.testkit.ChainModel;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.stream.Stream;

/**
 * A family plugin that somebody else wrote: compiled against the installation's api alone and
 * dropped into {@code plugins/}. Its architecture is {@code acme35}; its models are an embedding
 * table, a norm and an output head around one gated feed-forward, so the answer can be worked out
 * by hand; it brings a pre-tokenizer and a markup of tool calls of its own.
 */
class ThirdPartyPluginIT {
    private static final Path SOURCES =
            Path.of(System.getProperty("varve.test.root"), "e2e/plugins/src/test/third-party");

    private static final ObjectMapper JSON = new JsonMapper();

    @TempDir Path folder;

    private Path installation;
    private Path model;

    @BeforeEach
    void copyInstallation() throws Exception {
        installation = InstallationCopy.in(folder);
        // A random model under another architecture; its own layers are not used.
        model =
                renamed(
                        Qwen35Model.odd(4).withType(TensorType.F32).write(folder),
                        folder.resolve("acme.gguf"));
    }

    private static Path renamed(Path original, Path target) throws IOException {
        String bytes =
                Files.readString(original, StandardCharsets.ISO_8859_1)
                        .replace("qwen35.", "acme35.");
        int value = bytes.indexOf("qwen35", bytes.indexOf("general.architecture"));
        return Files.writeString(
                target,
                bytes.substring(0, value) + "acme35" + bytes.substring(value + 6),
                StandardCharsets.ISO_8859_1);
    }

    @Test
    void installedJarServesItsArchitectureUntilRemoved() throws Exception {
        Varve varve = new Varve(installation, folder);
        Varve.Outcome before = varve.run("generate", "--model", model, "--prompt", "x");
        assertEquals(1, before.status(), before.toString());
        assertTrue(
                before.err().contains("acme35") && before.err().contains("qwen35"), before.err());

        Path jar = compile();
        Varve.Outcome with =
                varve.run(
                        "generate",
                        "--model",
                        model,
                        "--tokens",
                        "1,2,3",
                        "--max-tokens",
                        12,
                        "--temperature",
                        0,
                        "--ignore-eos",
                        "--json");
        assertEquals(0, with.status(), with.toString());
        JsonNode tokens = new JsonMapper().readTree(with.out()).get("tokens");
        int[] actual = new int[tokens.size()];
        for (int i = 0; i < actual.length; i++) {
            actual[i] = tokens.get(i).intValue();
        }
        assertArrayEquals(new TinyModel(model).greedy(3, 12), actual);

        Files.delete(jar);
        assertEquals(1, varve.run("generate", "--model", model, "--prompt", "x").status());
    }

    /** Varve refuses the graph that the family records at load, before any request waits. */
    @Test
    @Tag("nightly")
    void familyWithoutLogitsIsRefusedInOneLine() throws Exception {
        compile(
                family ->
                        family.replace(
                                "graph.logits(graph.matmul(\"output\", z))", "graph.tokens()"));

        Varve.Outcome outcome =
                new Varve(installation, folder)
                        .run("generate", "--model", model, "--tokens", "1,2,3", "--ignore-eos");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(
                outcome.err()
                        .contains("varve: plugin acme.tiny: acme35, layers [0, 1): logits was not"),
                outcome.err());
    }

    /**
     * Its family throws in every step of a short prompt, which is none of those recorded at load,
     * as a device does that has failed for good.
     */
    @Test
    @Tag("nightly")
    void failedEngineIsReportedAndEndsWithStatusOne() throws Exception {
        compile(
                family ->
                        family.replace(
                                "Tensor x =",
                                "if (graph.tokens() > 1 && graph.tokens() < 64)"
                                        + " throw new Error(\"lost\"); Tensor x ="));
        try (Varve.Server server =
                        new Varve(installation, folder).serve("--model", model, "--parallel", 1);
                HttpClient client = HttpClient.newHttpClient()) {
            Set<Integer> statuses = new TreeSet<>();
            for (int i = 0; i < 8; i++) {
                HttpRequest request =
                        HttpRequest.newBuilder(URI.create(server.url() + "/v1/completions"))
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"prompt\": \"a few words\", \"max_tokens\": 4}"))
                                .header("Content-Type", "application/json")
                                .build();
                statuses.add(client.send(request, ofString()).statusCode());
            }
            HttpRequest ask = HttpRequest.newBuilder(URI.create(server.url() + "/health")).build();
            HttpResponse<String> health = client.send(ask, ofString());
            while (health.statusCode() == 200) {
                // The last answer may be out before the engine has given up.
                health = client.send(ask, ofString());
            }

            assertEquals(Set.of(500), statuses);
            assertEquals(503, health.statusCode(), health.body());
            assertTrue(
                    health.body().contains("\"failed\"")
                            && health.body().contains("8 steps failed"),
                    health.body());
            assertTrue(server.ends());
            assertEquals(1, server.status());
        }
    }

    @Test
    void brokenJarIsReportedAndOtherPluginsWork() throws Exception {
        Files.writeString(installation.resolve("plugins/garbage.jar"), "no jar");

        Varve.Outcome outcome = new Varve(installation, folder).run("plugins");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(
                outcome.out().contains("garbage.jar") && outcome.out().contains("qwen35"),
                outcome.out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "static { System.exit(0); } @Override public Set<String> architectures",
                "@Override public Set<String> architectures() { System.exit(0); return plain(); }"
                        + " private Set<String> plain"
            })
    void pluginThatExitsDuringLoadIsNamed(String code) throws Exception {
        compile(
                family ->
                        family.replaceFirst(
                                "@Override\\s+public Set<String> architectures",
                                Matcher.quoteReplacement(code)));

        Varve.Outcome outcome = new Varve(installation, folder).run("plugins");

        assertEquals(1, outcome.status(), outcome.toString());
        assertEquals(
                "varve: the plugin acme-tiny.jar ended the program (System.exit) while it was"
                        + " loaded\n",
                outcome.err());
    }

    @Test
    @Tag("nightly")
    void pluginThatExitsDuringUseIsNamed() throws Exception {
        compile(
                family ->
                        family.replace(
                                "GgufTensor embedding =",
                                "System.exit(3); GgufTensor embedding ="));

        Varve.Outcome outcome =
                new Varve(installation, folder)
                        .run("inspect", "--model", model, "--log-level", "off");

        assertEquals(3, outcome.status(), outcome.toString());
        assertTrue(
                outcome.err()
                        .contains(
                                "varve: the plugin acme-tiny.jar ended the program (System.exit)"
                                        + " in acme.tiny.TinyFamily.open\n"),
                outcome.toString());
    }

    /** The vocabulary merges whole words, and this family's words are two characters long. */
    @Test
    @Tag("nightly")
    void familyPreTokenizerSplitsTexts() throws Exception {
        Varve varve = new Varve(installation, folder);
        Path asQwen = Qwen35Model.odd(4).withType(TensorType.F32).write(folder);
        int[] platforms = tokens(varve, asQwen, "hello world");

        compile();

        assertArrayEquals(
                concat(
                        tokens(varve, asQwen, "he"),
                        tokens(varve, asQwen, "ll"),
                        tokens(varve, asQwen, "o"),
                        tokens(varve, asQwen, " "),
                        tokens(varve, asQwen, "wo"),
                        tokens(varve, asQwen, "rl"),
                        tokens(varve, asQwen, "d")),
                tokens(varve, model, "hello world"));
        assertArrayEquals(platforms, tokens(varve, asQwen, "hello world"));
        assertTrue(platforms.length < 4, Arrays.toString(platforms));
        try (Varve.Server server = varve.serve("--model", model);
                HttpClient client = HttpClient.newHttpClient()) {
            JsonNode served = post(client, server, "/tokenize", "{\"content\": \"hello world\"}");
            assertEquals(9, served.get("tokens").size(), served.toString());
        }
    }

    private static int[] concat(int[]... parts) {
        return Stream.of(parts).flatMapToInt(Arrays::stream).toArray();
    }

    private static int[] tokens(Varve varve, Path model, String text) throws Exception {
        Varve.Outcome outcome = varve.run("tokenize", "--model", model, "--text", text);
        assertEquals(0, outcome.status(), outcome.toString());
        return JSON.convertValue(JSON.readTree(outcome.out()), int[].class);
    }

    private static final String ASK =
            """
            {"messages": [{"role": "user", "content": "Weather?"}], "max_tokens": 40,
             "temperature": 0, "stream": %s,
             "tools": [{"type": "function", "function": {"name": "get_weather", "parameters":
               {"type": "object", "properties":
                 {"city": {"type": "string"}, "days": {"type": "integer"}}}}}]}
            """;

    @Test
    void callsInFamilyMarkupBecomeToolCalls() throws Exception {
        compile();
        try (Varve.Server server = new Varve(installation, folder).serve("--model", speaking());
                HttpClient client = HttpClient.newHttpClient()) {
            JsonNode choice =
                    post(
                                    client,
                                    server,
                                    "/v1/chat/completions",
                                    String.format(Locale.ROOT, ASK, false))
                            .at("/choices/0");

            assertEquals("tool_calls", choice.get("finish_reason").asString(), choice.toString());
            JsonNode calls = choice.at("/message/tool_calls");
            assertEquals(2, calls.size(), choice.toString());
            assertCall("{\"city\":\"Bern\",\"days\":2}", calls.get(0));
            assertCall("{\"city\":\"Thun\"}", calls.get(1));
            assertEquals("Let me see.", choice.at("/message/content").asString().strip());
        }
    }

    @Test
    @Tag("nightly")
    void callsInFamilyMarkupAreStreamed() throws Exception {
        compile();
        try (Varve.Server server = new Varve(installation, folder).serve("--model", speaking());
                HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<Stream<String>> stream =
                    client.send(
                            request(
                                    server,
                                    "/v1/chat/completions",
                                    String.format(Locale.ROOT, ASK, true)),
                            BodyHandlers.ofLines());
            List<String> names = new ArrayList<>();
            List<StringBuilder> arguments = new ArrayList<>();
            List<Integer> pieces = new ArrayList<>();
            String finish = "";
            for (String line : stream.body().filter(each -> each.startsWith("data: {")).toList()) {
                JsonNode choice = JSON.readTree(line.substring(6)).at("/choices/0");
                for (JsonNode call : choice.at("/delta/tool_calls")) {
                    int index = call.get("index").intValue();
                    if (index == names.size()) {
                        names.add(call.at("/function/name").asString());
                        arguments.add(new StringBuilder());
                        pieces.add(0);
                    }
                    arguments.get(index).append(call.at("/function/arguments").asString(""));
                    pieces.set(index, pieces.get(index) + 1);
                }
                finish = choice.path("finish_reason").asString(finish);
            }

            assertEquals(List.of("get_weather", "get_weather"), names);
            assertEquals(
                    List.of("{\"city\":\"Bern\",\"days\":2}", "{\"city\":\"Thun\"}"),
                    arguments.stream().map(StringBuilder::toString).toList());
            assertTrue(pieces.getFirst() > 1, "pieces of the first call: " + pieces);
            assertEquals("tool_calls", finish);
        }
    }

    private static void assertCall(String arguments, JsonNode call) {
        assertEquals("function", call.get("type").asString(), call.toString());
        assertEquals("get_weather", call.at("/function/name").asString(), call.toString());
        assertEquals(arguments, call.at("/function/arguments").asString(), call.toString());
    }

    /** A model that calls the tool twice, between one pair of marks. */
    private Path speaking() throws IOException {
        ChainModel chain =
                ChainModel.qwen35(
                                """
                                {%- for tool in tools or [] -%}
                                {{ (tool | tojson) + '\\n' }}
                                {%- endfor -%}
                                {%- for message in messages -%}
                                {{ '<|im_start|>' + message.role + '\\n' }}
                                {{- message.content + '<|im_end|>\\n' }}
                                {%- endfor -%}
                                {{ '<|im_start|>assistant' }}
                                """)
                        .says(
                                // The last word of the prompt, as this family cuts it.
                                "t",
                                "Let me see.",
                                "<tool_call>",
                                "get_weather",
                                "(city: Bern",
                                "; days: 2)\n",
                                "get_weather(city: ",
                                "Thun)",
                                "</tool_call>",
                                "<|im_end|>");
        return renamed(
                chain.write(folder.resolve("speaking.gguf")), folder.resolve("acme-chat.gguf"));
    }

    private static JsonNode post(HttpClient client, Varve.Server server, String path, String body)
            throws Exception {
        HttpResponse<String> response = client.send(request(server, path, body), ofString());
        assertEquals(200, response.statusCode(), response.body());
        return JSON.readTree(response.body());
    }

    private static HttpRequest request(Varve.Server server, String path, String body) {
        return HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private Path compile() throws Exception {
        return compile(UnaryOperator.identity());
    }

    private Path compile(UnaryOperator<String> changed) throws Exception {
        Path sources = folder.resolve("acme");
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = sources.resolve(SOURCES.relativize(file));
                Files.createDirectories(copy.getParent());
                Files.writeString(copy, changed.apply(Files.readString(file)));
            }
        }
        return PluginJar.drop(installation, sources, "acme-tiny.jar");
    }
}
