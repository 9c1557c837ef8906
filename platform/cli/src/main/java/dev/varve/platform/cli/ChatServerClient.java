package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.http.upstream.UpstreamServer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Requests to a server with OpenAI's API. Thread-safe. */
final class ChatServerClient {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration LIST = Duration.ofSeconds(30);

    /** Names of the context's length: of Varve, vLLM and llama.cpp. */
    private static final List<String> CONTEXT =
            List.of("/context_length", "/max_model_len", "/meta/n_ctx", "/meta/n_ctx_train");

    private final UpstreamServer server;
    private final HttpClient http =
            HttpClient.newBuilder()
                    .connectTimeout(CONNECT)
                    .version(HttpClient.Version.HTTP_1_1)
                    .build();

    ChatServerClient(UpstreamServer server) {
        this.server = server;
    }

    /**
     * A model of the server.
     *
     * @param contextTokens most tokens of a conversation; 0 if the server does not say
     */
    record Model(String name, int contextTokens) {}

    /**
     * Returns a model of the server.
     *
     * @param wanted its name; empty for the first one
     * @throws VarveException of kind UNAVAILABLE if the server does not respond, or has none
     */
    Model model(Optional<String> wanted) throws InterruptedException {
        HttpResponse<String> response;
        try {
            response =
                    http.send(
                            request("/models").timeout(LIST).GET().build(),
                            HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw unreachable(e);
        }
        List<JsonNode> models = models(response);
        Optional<JsonNode> found =
                models.stream()
                        .filter(
                                each ->
                                        wanted.map(name(each)::equals)
                                                .orElse(!name(each).isEmpty()))
                        .findFirst();
        if (found.isPresent()) {
            return new Model(name(found.get()), context(found.get()));
        }
        // A list may be incomplete, and some servers have none.
        return wanted.map(name -> new Model(name, 0))
                .orElseThrow(
                        () ->
                                unavailable(
                                        "expected a list of models from "
                                                + server.base()
                                                + "/models, found "
                                                + (response.statusCode() == 200
                                                        ? "none"
                                                        : "status "
                                                                + response.statusCode()
                                                                + ": "
                                                                + problem(response.body())),
                                        null));
    }

    private static List<JsonNode> models(HttpResponse<String> response) {
        if (response.statusCode() != 200) {
            return List.of();
        }
        try {
            return List.copyOf(
                    CliJson.parseObject(response.body(), "models").path("data").values());
        } catch (VarveException e) {
            return List.of();
        }
    }

    private static String name(JsonNode model) {
        return model.path("id").stringValue("");
    }

    private static int context(JsonNode model) {
        return CONTEXT.stream()
                .map(model::at)
                .filter(JsonNode::isIntegralNumber)
                .mapToInt(each -> each.asInt(0))
                .findFirst()
                .orElse(0);
    }

    /** Begins a response, whose lines the given one receives. */
    ChatStream chat(ObjectNode body) {
        HttpRequest request =
                request("/chat/completions")
                        .header("Content-Type", "application/json")
                        .header("Accept", "text/event-stream, application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(CliJson.write(body)))
                        .build();
        return ChatStream.of(http, request, this::unreachable);
    }

    private HttpRequest.Builder request(String route) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.base() + route));
        server.key().ifPresent(key -> request.header("Authorization", "Bearer " + key));
        return request;
    }

    private VarveException unreachable(Throwable cause) {
        String reason =
                cause instanceof ConnectException
                        ? "nothing listens there, or the host is unknown"
                        : Optional.ofNullable(cause.getMessage())
                                .orElse(cause.getClass().getSimpleName());
        return unavailable(server.base() + ": " + reason, cause);
    }

    private static VarveException unavailable(String message, Throwable cause) {
        return new VarveException(
                VarveException.Kind.UNAVAILABLE, RemoteChatArguments.URL + ": " + message, cause);
    }

    /** Returns the message of an error's body, or its beginning. */
    static String problem(String body) {
        try {
            JsonNode error = CliJson.parseObject(body, "error").path("error");
            return error.path("message").stringValueOpt().orElse(error.asString(body));
        } catch (VarveException e) {
            String line = body.strip().lines().findFirst().orElse("an empty body");
            return line.length() <= 200 ? line : line.substring(0, 200) + "…";
        }
    }
}
