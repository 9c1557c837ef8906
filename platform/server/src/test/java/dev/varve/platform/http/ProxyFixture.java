package dev.varve.platform.http;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.KeepCurve;
import dev.varve.platform.compression.MessageCompressionSettings;
import dev.varve.platform.compression.ScriptedDrafter;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.compression.selection.SelectionSettings;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.upstream.CompressionProxySettings;
import dev.varve.platform.http.upstream.UpstreamServer;
import dev.varve.platform.http.upstream.UpstreamTimeouts;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** A proxy whose drafter looks for a stone, and a client of it. */
final class ProxyFixture implements AutoCloseable {
    static final String FILLER = "Nothing happened on that day. ".repeat(200);
    static final String NEEDLE = "The key lies under the stone. ";
    static final String QUESTION = "Where is the key?";
    static final UpstreamTimeouts LIMITS =
            new UpstreamTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(20));

    final ScriptedDrafter drafter;
    final CompressionProxyServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    private ProxyFixture(
            HttpOptions options,
            UpstreamServer target,
            UpstreamTimeouts limits,
            ConversationCompressionSettings compression) {
        drafter = ScriptedDrafter.looksFor("stone", SmallChat.TOKENIZER);
        server =
                CompressionProxyServer.start(
                        options,
                        new CompressionProxySettings(
                                target,
                                limits,
                                new ConversationCompressor(drafter, compression),
                                "scripted.gguf"));
    }

    static ConversationCompressionSettings compression(CompressionMode mode, boolean byMessage) {
        return new ConversationCompressionSettings(
                mode,
                4000,
                byMessage,
                KeepCurve.flat(new KeepRatio(0.1)),
                SelectionSettings.USUAL,
                new MessageCompressionSettings(2, 0, 1000),
                false);
    }

    static ProxyFixture of(UpstreamServer target) {
        return of(target, LIMITS);
    }

    static ProxyFixture of(UpstreamServer target, UpstreamTimeouts limits) {
        return of(HttpOptions.loopback(), target, limits);
    }

    static ProxyFixture of(HttpOptions options, UpstreamServer target, UpstreamTimeouts limits) {
        return new ProxyFixture(options, target, limits, compression(CompressionMode.AUTO, false));
    }

    static ProxyFixture byMessage(UpstreamServer target) {
        return new ProxyFixture(
                HttpOptions.loopback(), target, LIMITS, compression(CompressionMode.AUTO, true));
    }

    /** A body with a system prompt and messages of a user. */
    static ObjectNode body(String system, String... texts) {
        ObjectNode body = Json.object().put("model", "theirs");
        ArrayNode messages = body.putArray("messages");
        messages.addObject().put("role", "system").put("content", system);
        for (String text : texts) {
            messages.addObject().put("role", "user").put("content", text);
        }
        return body;
    }

    static ObjectNode longBody() {
        return body("Be brief.", FILLER + NEEDLE + FILLER, QUESTION);
    }

    HttpResponse<String> chat(JsonNode body, String... headers) throws Exception {
        return post("/v1/chat/completions", body.toString(), headers);
    }

    HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        HttpRequest.Builder request = request(path).POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws Exception {
        return client.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server.uri() + path))
                .timeout(Duration.ofSeconds(40));
    }

    static JsonNode json(HttpResponse<String> response) {
        return Json.MAPPER.readTree(response.body());
    }

    @Override
    public void close() {
        server.close();
    }
}
