package dev.varve.platform.cli;

import dev.varve.api.VarveException;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/**
 * The lines of one response of a server. One thread takes them, and any thread may cancel the
 * response.
 */
final class ChatStream {
    /** The next event of the stream. */
    sealed interface Part {
        /** The response has begun. */
        record Begin(int status, boolean isStream) implements Part {}

        /** A line without its end. */
        record Line(String text) implements Part {}

        /** Nothing follows. */
        record End() implements Part {}

        /** The connection broke. */
        record Failure(VarveException error) implements Part {}
    }

    private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
    private volatile Optional<CompletableFuture<?>> exchange = Optional.empty();
    private volatile boolean cancelled;

    private ChatStream() {}

    /**
     * Sends a request.
     *
     * @param failure makes the error for a connection that broke
     */
    static ChatStream of(
            HttpClient http, HttpRequest request, Function<Throwable, VarveException> failure) {
        ChatStream stream = new ChatStream();
        CompletableFuture<?> exchange = http.sendAsync(request, stream::body);
        stream.exchange = Optional.of(exchange);
        exchange.whenComplete(
                (response, error) -> {
                    Throwable cause =
                            error instanceof CompletionException ? error.getCause() : error;
                    stream.parts.add(
                            cause == null
                                    ? new Part.End()
                                    : new Part.Failure(failure.apply(cause)));
                });
        return stream;
    }

    private HttpResponse.BodySubscriber<Void> body(HttpResponse.ResponseInfo info) {
        String type = info.headers().firstValue("Content-Type").orElse("");
        parts.add(new Part.Begin(info.statusCode(), type.startsWith("text/event-stream")));
        return BodySubscribers.fromLineSubscriber(
                new Lines(), lines -> null, StandardCharsets.UTF_8, null);
    }

    /**
     * Waits for the next part; nothing follows an end or a failure.
     *
     * @throws InterruptedException if this thread is interrupted
     */
    Part next() throws InterruptedException {
        return parts.take();
    }

    /** Whether {@link #cancel} was called. */
    boolean isCancelled() {
        return cancelled;
    }

    /** Closes the connection, at which the server stops. Any thread; never waits. */
    void cancel() {
        cancelled = true;
        exchange.ifPresent(each -> each.cancel(true));
        parts.add(new Part.End());
    }

    /** Adds lines to the queue, which has no limit: a response is at most a few megabytes. */
    private final class Lines implements Flow.Subscriber<String> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(String line) {
            parts.add(new Part.Line(line));
        }

        @Override
        public void onError(Throwable error) {
            // The exchange fails, too, with the same reason.
        }

        @Override
        public void onComplete() {
            // The exchange completes.
        }
    }
}
