package dev.varve.bench.http.stream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server whose answers are written in a test. */
public final class ScriptedServer implements AutoCloseable {
    /** Tokens of the chat template, which every prompt of it has. */
    public static final int TEMPLATE_TOKENS = 7;

    /** The end of a stream. */
    public static final String DONE = "data: [DONE]\n\n";

    /** Answers a chat. */
    public interface Script {
        /** Writes the answer to one request. */
        void answer(HttpExchange exchange, JsonNode request) throws IOException;
    }

    /** The request of a client. */
    public record Asked(String authorization, JsonNode body) {
        /** The text of its message. */
        public String prompt() {
            return body.path("messages").path(0).path("content").stringValue();
        }

        /** The most tokens of its answer. */
        public int maxTokens() {
            return body.path("max_tokens").intValue();
        }
    }

    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();

    private ScriptedServer(int port, Script script) throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        http.setExecutor(threads);
        http.createContext(
                "/v1/models",
                exchange -> reply(exchange, 200, "{\"data\":[{\"id\":\"toy\"},{\"id\":\"b\"}]}"));
        http.createContext(
                "/v1/chat/completions",
                exchange -> {
                    JsonNode body = JsonMapper.shared().readTree(exchange.getRequestBody());
                    String key = exchange.getRequestHeaders().getFirst("Authorization");
                    asked.add(new Asked(String.valueOf(key), body));
                    script.answer(exchange, body);
                });
        http.start();
    }

    /** Starts a server at a free port. */
    public static ScriptedServer start(Script script) throws IOException {
        return new ScriptedServer(0, script);
    }

    /** A server in a process of its own. */
    public static void main(String... arguments) throws IOException {
        new ScriptedServer(Integer.parseInt(arguments[0]), ScriptedServer::stream);
    }

    /** Its address. */
    public String url() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    /** All chats that were asked for, in their order. */
    public List<Asked> asked() {
        return asked;
    }

    /** As many tokens as are asked for, each in a chunk, and their number at the end. */
    public static void stream(HttpExchange exchange, JsonNode request) throws IOException {
        int tokens = request.path("max_tokens").intValue();
        try (OutputStream out = open(exchange)) {
            for (int i = 0; i < tokens; i++) {
                write(out, text("t" + i));
            }
            write(out, usage(request, tokens) + DONE);
        }
    }

    /** Begins a stream. */
    public static OutputStream open(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        write(out, "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n");
        return out;
    }

    /** Writes and flushes. */
    public static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** A chunk with text. */
    public static String text(String content) {
        return "data: {\"choices\":[{\"delta\":{\"content\":\"" + content + "\"}}]}\n\n";
    }

    /** The chunk that counts; each word of the prompt is two tokens. */
    public static String usage(JsonNode request, int tokens) {
        String prompt = request.path("messages").path(0).path("content").stringValue();
        return "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":"
                + (TEMPLATE_TOKENS + 2 * prompt.split(" ").length)
                + ",\"completion_tokens\":"
                + tokens
                + "}}\n\n";
    }

    /** A whole answer at once. */
    public static void reply(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
