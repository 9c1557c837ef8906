package dev.varve.platform.http;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelTextProcessing;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.Qwen35Model;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A server over a scripted engine, with the tokenizer of a random model. */
final class TestServer implements AutoCloseable {
    static final String TEMPLATE =
            "{% for m in messages %}<|im_start|>{{ m.role }}\n"
                    + "{{ m.content }}<|im_end|>\n"
                    + "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n"
                    + "{% if enable_thinking %}<think>\n"
                    + "{% endif %}{% endif %}";

    private static final Tokenizer TOKENIZER = tokenizer();

    /** One for all servers: a client has threads of its own, and each server another port. */
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    final HttpServer server;

    private TestServer(HttpServer server) {
        this.server = server;
    }

    static TestServer of(ScriptedEngine engine) {
        return of(engine, HttpOptions.loopback());
    }

    static TestServer of(ScriptedEngine engine, HttpOptions options) {
        TestServer test = loading(options);
        test.server.ready(
                new ServedModel(
                        new ModelDescription("random", "qwen35", 2048, Map.of()),
                        engine,
                        new ModelTextProcessing(
                                TOKENIZER,
                                Optional.of(
                                        new ChatRenderer(
                                                ChatTemplate.compile(TEMPLATE), TOKENIZER)),
                                ResponseSyntax.of(
                                        new ChatDialect(
                                                Optional.of(ReasoningMarks.think()),
                                                Optional.empty()),
                                        TOKENIZER),
                                ReasoningDefaults.none())));
        return test;
    }

    static TestServer of(ServedModel served) {
        TestServer test = loading(HttpOptions.loopback());
        test.server.ready(served);
        return test;
    }

    static TestServer loading(HttpOptions options) {
        return new TestServer(HttpServer.start(options));
    }

    static HttpOptions withKey(String key) {
        return new HttpOptions(
                new ListenAddress("127.0.0.1", 0),
                new ClientAccessSettings(
                        Set.of(key),
                        ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                        new CorsAndHostOptions(Set.of("http://page.example"), Set.of())),
                IngressLimits.DEFAULT.withBodyBytes(1000));
    }

    private static Tokenizer tokenizer() {
        try {
            Path folder = Files.createTempDirectory("varve-http");
            Path file = Qwen35Model.tiny().write(folder);
            Tokenizer tokenizer = Tokenizer.of(GgufFile.open(file).metadata());
            Files.delete(file);
            Files.delete(folder);
            return tokenizer;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static int id(String token) {
        return TOKENIZER.tokenId(token).orElseThrow();
    }

    /** Tokens of a text; special spellings stay text. */
    static int[] ids(String text) {
        return TOKENIZER.encode(text, false);
    }

    static int[] join(int[]... parts) {
        return java.util.Arrays.stream(parts).flatMapToInt(java.util.Arrays::stream).toArray();
    }

    static String text(int[] ids) {
        return TOKENIZER.decode(ids, true);
    }

    HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        HttpRequest.Builder request = request(path).POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = request(path).GET();
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> method(String method, String path, String... headers) throws Exception {
        HttpRequest.Builder request =
                request(path).method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server.uri() + path))
                .timeout(Duration.ofSeconds(30));
    }

    JsonNode chat(String fields) throws Exception {
        return json(post("/v1/chat/completions", chatBody(fields)));
    }

    static String chatBody(String fields) {
        return "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]"
                + (fields.isEmpty() ? "" : ", " + fields)
                + "}";
    }

    static JsonNode json(HttpResponse<String> response) {
        return Json.MAPPER.readTree(response.body());
    }

    /** The JSON of each data line of a stream; {@code [DONE]} is left out. */
    static List<JsonNode> events(String stream) {
        List<JsonNode> events = new ArrayList<>();
        for (String line : stream.lines().toList()) {
            if (line.startsWith("data: {")) {
                events.add(
                        Json.MAPPER.readTree(line.substring(6).getBytes(StandardCharsets.UTF_8)));
            }
        }
        return events;
    }

    @Override
    public void close() {
        server.close();
    }
}
