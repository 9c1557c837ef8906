package dev.varve.dist;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A stream that some program reads, and that takes a while. */
final class LongAnswer implements AutoCloseable {
    private final HttpClient client = HttpClient.newHttpClient();
    private final CompletableFuture<String> text;

    /**
     * Asks for one.
     *
     * @param key of the server; empty for none
     */
    LongAnswer(String url, String question, int tokens, Optional<String> key) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + "/v1/chat/completions"))
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"messages\": [{\"role\": \"user\", \"content\": \""
                                                + question
                                                + "\"}], \"stream\": true, \"temperature\": 0,"
                                                + " \"ignore_eos\": true, \"max_tokens\": "
                                                + tokens
                                                + "}"));
        key.ifPresent(given -> request.header("Authorization", "Bearer " + given));
        text =
                client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofLines())
                        .thenApply(HttpResponse::body)
                        .thenApply(Stream::toList)
                        .thenApply(lines -> String.join("\n", lines));
    }

    /** All events, once it has ended. */
    String await() throws Exception {
        return text.get(120, TimeUnit.SECONDS);
    }

    boolean isOver() {
        return text.isDone();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
