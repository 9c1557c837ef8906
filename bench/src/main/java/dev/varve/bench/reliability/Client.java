package dev.varve.bench.reliability;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends requests to one server with one key. Thread-safe. */
final class Client {
    /** Longer than any answer and the return of a killed shard take. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** Additional wait for the beginning of a stream, for each event that the client would read. */
    private static final long PATIENCE_MILLIS = 25;

    private static final int OK = 200;
    private static final String DATA = "data: ";
    private static final String DONE = "[DONE]";

    private final HttpClient http;
    private final ScheduledExecutorService clock;
    private final URI server;
    private final String key;

    /**
     * @param clock ends answers that never end
     */
    Client(HttpClient http, ScheduledExecutorService clock, URI server, String key) {
        this.http = http;
        this.clock = clock;
        this.server = server;
        this.key = key;
    }

    /**
     * Sends a request, and behaves as the conduct requires.
     *
     * @param patience events of a stream that it reads before it leaves or cancels
     */
    Outcome ask(Question question, Conduct conduct, int patience) {
        try {
            return conduct == Conduct.WHOLE ? whole(question) : stream(question, conduct, patience);
        } catch (IOException | JacksonException e) {
            return new Outcome.Failed(e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome.Failed("interrupted");
        }
    }

    private Outcome whole(Question question) throws IOException, InterruptedException {
        HttpResponse<String> response =
                http.send(
                        request(question, Conduct.WHOLE),
                        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        if (response.statusCode() != OK) {
            return new Outcome.Failed(response.statusCode() + " " + response.body());
        }
        JsonNode choice = JsonMapper.shared().readTree(response.body()).at("/choices/0");
        JsonNode message = choice.path("message");
        return new Outcome.Complete(
                text(message, "content") + text(message, "reasoning_content"),
                choice.path("finish_reason").asString(""));
    }

    private Outcome stream(Question question, Conduct conduct, int patience)
            throws IOException, InterruptedException {
        Optional<HttpResponse<InputStream>> begun =
                begin(request(question, conduct), conduct, patience);
        if (begun.isEmpty()) {
            return new Outcome.Left();
        }
        HttpResponse<InputStream> response = begun.get();
        try (InputStream body = response.body()) {
            if (response.statusCode() != OK) {
                return new Outcome.Failed(
                        response.statusCode()
                                + " "
                                + new String(body.readAllBytes(), StandardCharsets.UTF_8));
            }
            ScheduledFuture<?> end =
                    clock.schedule(() -> close(body), LIMIT.toSeconds(), TimeUnit.SECONDS);
            try {
                String id = response.headers().firstValue("x-request-id").orElse("");
                return read(body, new Interruption(conduct, patience, id));
            } finally {
                end.cancel(false);
            }
        }
    }

    /** Waits for the beginning of a stream; one that leaves does so for a moment only. */
    private Optional<HttpResponse<InputStream>> begin(
            HttpRequest request, Conduct conduct, int patience)
            throws IOException, InterruptedException {
        if (conduct != Conduct.LEAVE) {
            return Optional.of(http.send(request, HttpResponse.BodyHandlers.ofInputStream()));
        }
        CompletableFuture<HttpResponse<InputStream>> exchange =
                http.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream());
        try {
            return Optional.of(
                    exchange.get(PATIENCE_MILLIS * (patience + 1L), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            // Closes the connection.
            exchange.cancel(true);
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    /**
     * Description of a stream's early end.
     *
     * @param id of the request, as in its answer's header
     */
    private record Interruption(Conduct conduct, int patience, String id) {
        boolean isDue(int events) {
            return events == patience && (conduct == Conduct.LEAVE || conduct == Conduct.CANCEL);
        }
    }

    private Outcome read(InputStream body, Interruption interruption)
            throws IOException, InterruptedException {
        StringBuilder content = new StringBuilder();
        StringBuilder reasoning = new StringBuilder();
        String finish = "";
        boolean cancelled = false;
        int events = 0;
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        while (true) {
            if (interruption.isDue(events) && !cancelled) {
                if (interruption.conduct() == Conduct.LEAVE) {
                    return new Outcome.Left();
                }
                cancel(interruption.id());
                cancelled = true;
            }
            String line = lines.readLine();
            if (line == null || line.equals(DATA + DONE)) {
                break;
            }
            if (!line.startsWith(DATA)) {
                continue;
            }
            events++;
            JsonNode event = JsonMapper.shared().readTree(line.substring(DATA.length()));
            if (event.has("error")) {
                return cancelled
                        ? new Outcome.Cancelled()
                        : new Outcome.Failed("in the stream: " + event.get("error"));
            }
            JsonNode choice = event.at("/choices/0");
            content.append(text(choice.path("delta"), "content"));
            reasoning.append(text(choice.path("delta"), "reasoning_content"));
            finish = choice.path("finish_reason").asString(finish);
        }
        if (!finish.isEmpty()) {
            return new Outcome.Complete(content.toString() + reasoning, finish);
        }
        return cancelled
                ? new Outcome.Cancelled()
                : new Outcome.Failed("the stream ended without a finish reason");
    }

    /** Cancels a request; one that has ended already is no longer listed, which is no failure. */
    private void cancel(String id) throws IOException, InterruptedException {
        HttpResponse<String> list =
                http.send(
                        to("/requests").build(),
                        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        for (JsonNode each : JsonMapper.shared().readTree(list.body()).path("requests")) {
            if (each.path("request_id").asString("").equals(id)) {
                http.send(
                        to("/requests/" + each.path("id").asString("")).DELETE().build(),
                        HttpResponse.BodyHandlers.discarding());
            }
        }
    }

    /** Whether all of the server's shards compute. */
    boolean isHealthy() {
        try {
            HttpRequest request = to("/health").timeout(Duration.ofSeconds(10)).build();
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == OK;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private HttpRequest request(Question question, Conduct conduct) {
        ObjectNode body = JsonMapper.shared().createObjectNode();
        body.putArray("messages").addObject().put("role", "user").put("content", question.prompt());
        body.put("model", question.model())
                .put("max_tokens", question.maxTokens())
                .put("temperature", 0)
                .put("ignore_eos", true)
                .put("stream", conduct != Conduct.WHOLE);
        if (conduct == Conduct.UNCACHED) {
            body.put("cache", false);
        }
        return to("/v1/chat/completions")
                .timeout(LIMIT)
                .header("Content-Type", "application/json")
                .POST(
                        HttpRequest.BodyPublishers.ofString(
                                JsonMapper.shared().writeValueAsString(body)))
                .build();
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(server.resolve(path))
                .header("Authorization", "Bearer " + key);
    }

    private static String text(JsonNode message, String field) {
        return message.path(field).asString("");
    }

    private static void close(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            // The thread that reads the response reports the failure.
        }
    }
}
