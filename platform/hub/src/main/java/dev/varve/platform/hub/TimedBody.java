package dev.varve.platform.hub;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Body of a response, read piece by piece by one thread. A read fails if the server sends nothing
 * for a time; the timeouts of the HTTP client itself end with the headers.
 */
final class TimedBody implements BodySubscriber<TimedBody>, AutoCloseable {
    private sealed interface Signal {
        record Piece(List<ByteBuffer> bytes) implements Signal {}

        record End(Optional<Throwable> failure) implements Signal {}
    }

    private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
    private final String name;
    private final Duration limit;

    /**
     * @param name address of the file, for messages
     * @param limit longest time without a byte
     */
    TimedBody(String name, Duration limit) {
        this.name = name;
        this.limit = limit;
    }

    @Override
    public CompletionStage<TimedBody> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        given.request(1);
        subscription.complete(given);
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
        signals.add(new Signal.Piece(bytes));
    }

    @Override
    public void onError(Throwable failure) {
        signals.add(new Signal.End(Optional.of(failure)));
    }

    @Override
    public void onComplete() {
        signals.add(new Signal.End(Optional.empty()));
    }

    /**
     * Returns the next bytes; empty at the end of the body, after which it is not called again.
     *
     * @throws IOException if the connection fails, or the server sends nothing for the limit
     */
    List<ByteBuffer> next() throws IOException, InterruptedException {
        Signal signal = signals.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        return switch (signal) {
            case null ->
                    throw new HttpTimeoutException(
                            name
                                    + ": the server sent nothing for "
                                    + limit.toMillis() / 1000.0
                                    + " s");
            case Signal.Piece(List<ByteBuffer> bytes) -> {
                subscription.thenAccept(given -> given.request(1));
                yield bytes;
            }
            case Signal.End(Optional<Throwable> failure) -> {
                if (failure.isPresent()) {
                    String reason = failure.get().getMessage();
                    throw new IOException(
                            name + ": " + (reason == null ? "the connection failed" : reason),
                            failure.get());
                }
                yield List.of();
            }
        };
    }

    /** Ends the transfer; does nothing after the end of the body. */
    @Override
    public void close() {
        subscription.thenAccept(Flow.Subscription::cancel);
    }
}
