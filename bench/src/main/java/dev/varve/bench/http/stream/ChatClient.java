package dev.varve.bench.http.stream;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Sends requests to one server. For many threads; the connections are those of the HTTP client. */
public final class ChatClient {
    private static final int OK = 200;
    private static final int NOT_READY = 503;
    private static final String CHAT = "/v1/chat/completions";
    private static final String MODELS = "/v1/models";

    private final HttpClient http;
    private final Target target;
    private final Duration limit;

    /**
     * Creates a client that connects with its first request.
     *
     * @param limit how long an answer may take, from the request to its end
     */
    public ChatClient(HttpClient http, Target target, Duration limit) {
        this.http = http;
        this.target = target;
        this.limit = limit;
    }

    /** Returns the server to which requests go. */
    public Target target() {
        return target;
    }

    /**
     * A client that names the first model that the server lists.
     *
     * @throws ServerFailure if it lists none
     */
    public ChatClient withFirstModel() {
        HttpRequest request = request(target.route(MODELS)).GET().build();
        String body =
                Replies.await(
                        send(
                                request,
                                MODELS,
                                info ->
                                        reply(
                                                info,
                                                BodySubscribers.ofString(StandardCharsets.UTF_8))));
        try {
            JsonNode id = JsonMapper.shared().readTree(body).path("data").path(0).path("id");
            if (id.isString()) {
                return new ChatClient(http, target.withModel(Optional.of(id.stringValue())), limit);
            }
        } catch (JacksonException _) {
            // reported below, with the body
        }
        throw new ServerFailure(
                where(MODELS) + ": expected a list of models, found " + Excerpt.of(body));
    }

    /** Starts an answer. The future fails with a {@link ServerFailure}. */
    public CompletableFuture<Answer> stream(ChatRequest request) {
        return stream(request, _ -> {});
    }

    /**
     * Starts an answer. The future fails with a {@link ServerFailure}.
     *
     * @param progress receives the number of chunks so far with each chunk with text, on a thread
     *     that must not block
     */
    public CompletableFuture<Answer> stream(ChatRequest request, IntConsumer progress) {
        return stream(request, progress, _ -> {});
    }

    /**
     * As the other method, for the text of the answer.
     *
     * @param content receives the parts of the text, without reasoning, likewise
     */
    public CompletableFuture<Answer> stream(
            ChatRequest request, IntConsumer progress, Consumer<String> content) {
        HttpRequest post =
                request(target.route(CHAT))
                        .header("Content-Type", "application/json")
                        .header("Accept", "text/event-stream")
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        request.json(target.model()), StandardCharsets.UTF_8))
                        .build();
        StreamReader reader = new StreamReader(System.nanoTime(), progress, content);
        AtomicBoolean begun = new AtomicBoolean();
        CompletableFuture<Answer> answer =
                send(
                        post,
                        CHAT,
                        info -> {
                            begun.set(info.statusCode() == OK);
                            return reply(info, new StreamBody(reader));
                        });
        return answer.exceptionallyCompose(
                failure ->
                        CompletableFuture.failedFuture(
                                begun.get() ? cutOff(failure, reader) : failure));
    }

    /**
     * Returns the failure of a connection that ends after the headers: the body reports it, or the
     * exchange if that notices it first.
     */
    private Throwable cutOff(Throwable failure, StreamReader reader) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof ServerFailure.NotReady unanswered
                        && unanswered.getCause() instanceof IOException broken
                ? new ServerFailure(
                        where(CHAT) + ": " + reader.brokenOff(broken).getMessage(), broken)
                : cause;
    }

    private HttpRequest.Builder request(URI uri) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(uri);
        target.apiKey().ifPresent(key -> builder.header("Authorization", "Bearer " + key));
        return builder;
    }

    private static <T> BodySubscriber<T> reply(ResponseInfo info, BodySubscriber<T> good) {
        if (info.statusCode() == OK) {
            return good;
        }
        return BodySubscribers.mapping(
                BodySubscribers.ofString(StandardCharsets.UTF_8),
                body -> {
                    throw refused(info.statusCode(), body);
                });
    }

    private static ServerFailure refused(int status, String body) {
        String message = "expected status 200, found " + status + ": " + Excerpt.of(body);
        return status == NOT_READY
                ? new ServerFailure.NotReady(message)
                : new ServerFailure(message);
    }

    private <T> CompletableFuture<T> send(
            HttpRequest request, String route, HttpResponse.BodyHandler<T> handler) {
        CompletableFuture<HttpResponse<T>> exchange = http.sendAsync(request, handler);
        // The limit of a request in the HTTP client ends with the headers; this one is for the
        // body, too. It must not complete the exchange itself, which could not be cancelled then.
        return exchange.copy()
                .orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS)
                .handle(
                        (response, failure) -> {
                            if (failure == null) {
                                return response.body();
                            }
                            exchange.cancel(true);
                            throw explained(failure, where(route));
                        });
    }

    private ServerFailure explained(Throwable failure, String where) {
        return switch (failure) {
            case CompletionException wrapped when wrapped.getCause() != null ->
                    explained(wrapped.getCause(), where);
            case TimeoutException _ ->
                    new ServerFailure(
                            where + ": no end of the answer within " + limit.toSeconds() + " s");
            case ServerFailure.NotReady known ->
                    new ServerFailure.NotReady(where + ": " + known.getMessage(), known);
            case ServerFailure known -> new ServerFailure(where + ": " + known.getMessage(), known);
            case IOException io when io.getCause() instanceof ServerFailure known ->
                    explained(known, where);
            default -> new ServerFailure.NotReady(where + ": no answer: " + failure, failure);
        };
    }

    private String where(String route) {
        return target.route(route).toString();
    }
}
