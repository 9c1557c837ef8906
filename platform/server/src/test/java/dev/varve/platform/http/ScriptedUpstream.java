package dev.varve.platform.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.upstream.UpstreamServer;
import dev.varve.testkit.Await;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** A server that answers what a test says, and keeps what it was asked. */
final class ScriptedUpstream implements AutoCloseable {
    static final String ANSWER =
            "{\"id\":\"x\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
                + "\"ok\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":77,"
                + "\"completion_tokens\":2,\"total_tokens\":79,\"cost\":0.10}}";

    /** Answers a request. */
    interface Script {
        void answer(HttpExchange exchange) throws IOException;
    }

    /** A request that the upstream server received. */
    record Asked(String method, String path, String authorization, String via, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        JsonNode json() {
            return Json.MAPPER.readTree(body);
        }
    }

    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    private volatile Script script = exchange -> reply(exchange, 200, ANSWER);

    private ScriptedUpstream() throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(threads);
        http.createContext("/", this::take);
        http.start();
    }

    static ScriptedUpstream start() throws IOException {
        return new ScriptedUpstream();
    }

    private static String header(HttpExchange exchange, String name) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name)).orElse("");
    }

    private void take(HttpExchange exchange) throws IOException {
        asked.add(
                new Asked(
                        exchange.getRequestMethod(),
                        exchange.getRequestURI().toString(),
                        header(exchange, "Authorization"),
                        header(exchange, "Via"),
                        exchange.getRequestBody().readAllBytes()));
        try (exchange) {
            script.answer(exchange);
        }
    }

    ScriptedUpstream says(Script other) {
        script = other;
        return this;
    }

    /** The next request that came. */
    Asked next() {
        return Await.next(asked, "request");
    }

    /** Whether there is none that was not taken. */
    boolean isIdle() {
        return asked.isEmpty();
    }

    URI base() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/v1");
    }

    UpstreamServer target() {
        return UpstreamServer.of(base());
    }

    static void reply(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** Begins a stream. */
    static OutputStream stream(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
