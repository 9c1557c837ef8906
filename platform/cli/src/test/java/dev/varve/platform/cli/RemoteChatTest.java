package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.cli.chat.ChatMessage;
import dev.varve.platform.cli.chat.ChatModel;
import dev.varve.platform.cli.chat.ChatResponse;
import dev.varve.platform.http.upstream.UpstreamServer;
import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** The chat with a server: what is sent, and how responses of several servers are read. */
@Timeout(60)
class RemoteChatTest {
    private static final String MODELS =
            "{\"object\": \"list\", \"data\": [{\"id\": \"one\", \"context_length\": 4096},"
                    + " {\"id\": \"two\", \"max_model_len\": 100}]}";

    private final HttpServer server = start();
    private final CountDownLatch never = new CountDownLatch(1);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final StringBuilder reasoning = new StringBuilder();
    private final StringBuilder content = new StringBuilder();
    private volatile String models = MODELS;
    private volatile int status = 200;
    private volatile String type = "text/event-stream";
    private volatile String reply = "";
    private volatile boolean isOpen;
    private volatile String body = "";
    private volatile String authorization = "";

    private static HttpServer start() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    RemoteChatTest() {
        server.setExecutor(command -> Thread.ofVirtual().start(command));
        server.createContext("/v1/models", this::list);
        server.createContext("/v1/chat/completions", this::chat);
        server.start();
    }

    @AfterEach
    void stop() {
        never.countDown();
        server.stop(0);
    }

    private void list(HttpExchange exchange) throws IOException {
        byte[] bytes = models.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private void chat(HttpExchange exchange) throws IOException {
        body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        authorization =
                Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization"))
                        .orElse("");
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(reply.getBytes(StandardCharsets.UTF_8));
            out.flush();
            begun.countDown();
            if (isOpen) {
                never.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private RemoteChatModel model(Optional<String> name) throws InterruptedException {
        ChatServerClient client =
                new ChatServerClient(
                        new UpstreamServer(
                                URI.create(address() + "/v1"),
                                Optional.of("secret"),
                                Optional.empty()));
        return new RemoteChatModel(
                client,
                client.model(name),
                new RemoteChatModel.Settings(
                        SamplingValues.NONE.with(SamplingParameter.TOP_K, 5),
                        ReasoningDefaults.none(),
                        OptionalInt.of(20)));
    }

    private ChatResponse respond() throws InterruptedException {
        return respond(model(Optional.empty()));
    }

    private ChatResponse respond(RemoteChatModel model) throws InterruptedException {
        return model.respond(
                List.of(
                        new ChatMessage(ChatMessage.Role.SYSTEM, "Be brief."),
                        new ChatMessage(ChatMessage.Role.USER, "Zoë?")),
                SamplingValues.NONE.with(SamplingParameter.TEMPERATURE, 0.5),
                new ChatModel.ResponseListener() {
                    @Override
                    public void reasoning(String text) {
                        reasoning.append(text);
                    }

                    @Override
                    public void content(String text) {
                        content.append(text);
                    }
                });
    }

    private static String event(String delta, String more) {
        return "data: {\"choices\": [{\"index\": 0, \"delta\": {" + delta + "}" + more + "}]}\n\n";
    }

    @ParameterizedTest
    @CsvSource({"reasoning_content", "reasoning"})
    void streamIsReadAsItComes(String field) throws InterruptedException {
        reply =
                ": keep-alive\n\n"
                        + event("\"role\": \"assistant\", \"content\": null", "")
                        + event("\"" + field + "\": \"hm\"", "")
                        + event("\"content\": \"Zo\"", "")
                        + event("\"content\": \"ë\"", ", \"finish_reason\": \"length\"")
                        + "data: {\"choices\": [], \"usage\": {\"prompt_tokens\": 7,"
                        + " \"completion_tokens\": 3, \"prompt_tokens_details\":"
                        + " {\"cached_tokens\": 2}}, \"timings\": {\"predicted_per_second\":"
                        + " 12.5}}\n\n"
                        + "data: [DONE]\n\n";

        ChatResponse response = respond();

        assertEquals("hm", reasoning.toString());
        assertEquals("Zoë", content.toString());
        assertEquals(new ChatMessage(ChatMessage.Role.ASSISTANT, "Zoë", "hm"), response.message());
        assertEquals(ChatResponse.End.LENGTH, response.end());
        ChatResponse.Statistics counts = response.statistics().orElseThrow();
        assertEquals(
                List.of(7, 2, 3, 4096),
                List.of(
                        counts.promptTokens(),
                        counts.cachedTokens(),
                        counts.generatedTokens(),
                        counts.contextTokens()));
        assertEquals(12.5, counts.decodeTokensPerSecond());
    }

    /** Servers refuse fields that they do not know, so only those that were set are sent. */
    @Test
    void requestHasOnlyWhatWasSet() throws InterruptedException {
        reply = "data: [DONE]\n\n";

        respond(model(Optional.of("two")));

        JsonNode sent = JsonMapper.shared().readTree(body);
        assertEquals(
                JsonMapper.shared()
                        .readTree(
                                "{\"model\": \"two\", \"stream\": true, \"stream_options\":"
                                        + " {\"include_usage\": true}, \"messages\": [{\"role\":"
                                        + " \"system\", \"content\": \"Be brief.\"}, {\"role\":"
                                        + " \"user\", \"content\": \"Zoë?\"}], \"max_tokens\": 20,"
                                        + " \"temperature\": 0.5, \"top_k\": 5}"),
                sent);
        assertEquals("Bearer secret", authorization);
    }

    @Test
    void wholeResponseIsAccepted() throws InterruptedException {
        type = "application/json";
        reply =
                "{\"choices\": [{\"message\": {\"role\": \"assistant\", \"content\": \"Yes\"},"
                        + " \"finish_reason\": \"stop\"}]}";

        ChatResponse response = respond();

        assertEquals("Yes", response.message().content());
        assertEquals(ChatResponse.End.COMPLETE, response.end());
        assertEquals(Optional.empty(), response.statistics());
    }

    @Test
    void stopKeepsTheTextSoFar() throws InterruptedException {
        isOpen = true;
        reply = event("\"content\": \"part\"", "");
        RemoteChatModel model = model(Optional.empty());
        Thread stopper =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    while (content.isEmpty()) {
                                        Thread.onSpinWait();
                                    }
                                    model.stop();
                                });

        ChatResponse response = respond(model);

        stopper.join();
        assertEquals(ChatResponse.End.STOPPED, response.end());
        assertEquals("part", response.message().content());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "400 | {\"error\": {\"message\": \"too long\"}} | status 400: too long",
                "401 | {\"error\": \"no key\"} | status 401: no key",
                "502 | <html>bad gateway | status 502: <html>bad gateway"
            })
    void refusalHasTheServersReason(int code, String text, String expected)
            throws InterruptedException {
        status = code;
        type = "application/json";
        reply = text;
        RemoteChatModel model = model(Optional.empty());

        VarveException failure = assertThrows(VarveException.class, () -> respond(model));

        assertTrue(failure.getMessage().endsWith(expected), failure.getMessage());
    }

    @Test
    void errorWithinAStreamIsReported() throws InterruptedException {
        reply =
                event("\"content\": \"a\"", "")
                        + "data: {\"error\": {\"message\": \"out of memory\"}}\n\n";
        RemoteChatModel model = model(Optional.empty());

        VarveException failure = assertThrows(VarveException.class, () -> respond(model));

        assertEquals("the server reported an error: out of memory", failure.getMessage());
    }

    @Test
    void serverWithoutModelsIsReported() {
        models = "{\"data\": []}";

        VarveException failure = assertThrows(VarveException.class, () -> model(Optional.empty()));

        assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind());
        assertTrue(failure.getMessage().endsWith("/v1/models, found none"), failure.getMessage());
    }

    private record Outcome(int status, String out, String err) {}

    private static Outcome run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status =
                VarveCommand.execute(
                        new Environment(Map.of(), Optional.empty(), Set.of()),
                        new PrintWriter(out),
                        new PrintWriter(err),
                        arguments);
        return new Outcome(status, out.toString(), err.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--url-model x                      | --url-model: needs --url",
                "--api-key x                        | --api-key: needs --url",
                "--url ftp://x                      | --url: expected an address",
                "--url http://x m                   | --url and MODEL: expected only one",
                "--url http://x --model m           | --model: applies to a model in this process",
                "--url http://x --max-ctx 100       | --max-ctx: applies to a model in this",
                "--url http://x --top-k 2 --draft d | --draft: applies to a model in this process"
            })
    void flagsThatDoNotApplyAreRefused(String flags, String expected) {
        Outcome outcome = run(("chat " + flags.strip()).split(" "));

        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(outcome.err().startsWith("varve: " + expected), outcome.toString());
    }

    @Test
    void missingServerIsAFailureNamedByItsFlag() {
        String address = address();
        server.stop(0);

        Outcome outcome = run("chat", "--url", address, "--temp", "0");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(
                outcome.err().startsWith("varve: --url: " + address + "/v1: "), outcome.toString());
        assertFalse(outcome.err().contains("Exception"), outcome.toString());
    }
}
