package dev.varve.dist;

import dev.varve.testkit.MetricsText;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Sends questions after long system prompts, and reads how many tokens the prefix cache served. */
final class ChatClient implements AutoCloseable {
    private static final int SYSTEM_WORDS = 300;
    private static final int ANSWER_TOKENS = 12;
    private static final JsonMapper JSON = new JsonMapper();
    private static final List<String> ALPHABET =
            List.of("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta");

    private final HttpClient http = HttpClient.newHttpClient();

    /**
     * The answer of a server.
     *
     * @param prompt tokens of it
     * @param cached those of them that were not computed
     * @param source where they came from; empty if nowhere
     */
    record Answer(String text, int prompt, int cached, String source) {}

    /** Asks, and waits. */
    Answer ask(Varve.Server server, int system, int question)
            throws IOException, InterruptedException {
        return send(request(server, body(system, question)));
    }

    /** Asks a server that is to compute all of it, and to keep nothing. */
    Answer askCold(Varve.Server server, int system, int question)
            throws IOException, InterruptedException {
        return send(request(server, body(system, question).put("cache", false)));
    }

    /** Asks for the answer to the last of some messages. */
    Answer ask(Varve.Server server, ArrayNode messages, int tokens)
            throws IOException, InterruptedException {
        ObjectNode body = JSON.createObjectNode().put("max_tokens", tokens).put("temperature", 0);
        body.set("messages", messages);
        return send(request(server, body));
    }

    private Answer send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new AssertionError(response.statusCode() + ": " + response.body());
        }
        JsonNode answer = JSON.readTree(response.body());
        return new Answer(
                answer.at("/choices/0/message/content").asString(""),
                answer.at("/usage/prompt_tokens").asInt(),
                answer.at("/usage/prompt_tokens_details/cached_tokens").asInt(),
                answer.at("/timings/cache_source").asString(""));
    }

    /** Asks for a stream, and reads it to its end; something is to be done at each of its parts. */
    void stream(Varve.Server server, int system, int question, Runnable atPart)
            throws IOException, InterruptedException {
        HttpResponse<Stream<String>> response =
                http.send(
                        request(server, body(system, question).put("stream", true)),
                        HttpResponse.BodyHandlers.ofLines());
        if (response.statusCode() != 200) {
            throw new AssertionError(response.statusCode() + ": no stream");
        }
        response.body().filter(line -> line.contains("\"content\"")).forEach(line -> atPart.run());
    }

    private static ObjectNode body(int system, int question) {
        Random random = new Random(system);
        String words =
                IntStream.range(0, SYSTEM_WORDS)
                        .mapToObj(i -> ALPHABET.get(random.nextInt(ALPHABET.size())))
                        .collect(Collectors.joining(" "));
        ObjectNode body =
                JSON.createObjectNode().put("max_tokens", ANSWER_TOKENS).put("temperature", 0);
        body.putArray("messages")
                .add(message("system", words))
                .add(message("user", "question " + question));
        return body;
    }

    private static HttpRequest request(Varve.Server server, ObjectNode body) {
        return HttpRequest.newBuilder(URI.create(server.url() + "/v1/chat/completions"))
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .header("Content-Type", "application/json")
                .build();
    }

    static ObjectNode message(String role, String content) {
        return JSON.createObjectNode().put("role", role).put("content", content);
    }

    /** The value of a metric, summed over its labels; 0 if there is none. */
    long metric(Varve.Server server, String name) throws IOException, InterruptedException {
        HttpResponse<String> metrics =
                http.send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build(),
                        HttpResponse.BodyHandlers.ofString());
        return (long) MetricsText.parse(metrics.body()).value(name);
    }

    /** Waits until a server that found nothing on its disk has written what it computed. */
    void awaitWritten(Varve.Server server) throws IOException, InterruptedException {
        while (true) {
            long held = metric(server, "varve_prefix_cache_entries");
            if (held > 0 && held == metric(server, "varve_prefix_disk_entries")) {
                return;
            }
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
