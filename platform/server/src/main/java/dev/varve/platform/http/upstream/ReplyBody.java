package dev.varve.platform.http.upstream;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The body of a reply, read in parts as they arrive. The next part is requested after one was
 * taken, so that a slow client slows the upstream server down instead of filling memory. One thread
 * reads.
 */
final class ReplyBody implements BodySubscriber<ReplyBody> {
    /** An item from the connection's thread. */
    private sealed interface Item {
        record Bytes(byte[] bytes) implements Item {}

        record End() implements Item {}

        record Failure(Throwable cause) implements Item {}
    }

    private final BlockingQueue<Item> items = new LinkedBlockingQueue<>();
    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
    private boolean ended;

    @Override
    public CompletionStage<ReplyBody> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription.complete(given);
        given.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        byte[] bytes = new byte[parts.stream().mapToInt(ByteBuffer::remaining).sum()];
        int at = 0;
        for (ByteBuffer part : parts) {
            int length = part.remaining();
            part.get(bytes, at, length);
            at += length;
        }
        items.add(new Item.Bytes(bytes));
    }

    @Override
    public void onError(Throwable failure) {
        items.add(new Item.Failure(failure));
    }

    @Override
    public void onComplete() {
        items.add(new Item.End());
    }

    /**
     * Returns the next bytes; empty at the end.
     *
     * @throws UpstreamException if the reply is truncated, or the upstream server is silent too
     *     long
     * @throws IOException if the client disconnected
     */
    Optional<byte[]> next(UpstreamWait wait) throws IOException, InterruptedException {
        if (ended) {
            return Optional.empty();
        }
        Item item =
                wait.await(nanos -> Optional.ofNullable(items.poll(nanos, TimeUnit.NANOSECONDS)));
        return switch (item) {
            case Item.Bytes(byte[] bytes) -> {
                subscription.join().request(1);
                yield Optional.of(bytes);
            }
            case Item.End() -> {
                ended = true;
                yield Optional.empty();
            }
            case Item.Failure(Throwable cause) -> {
                ended = true;
                throw new UpstreamException(
                        UpstreamException.Kind.BROKEN,
                        "the upstream server's reply ended early",
                        cause);
            }
        };
    }

    /** Cancels the reply: closes the connection unless the reply has ended. */
    void cancel() {
        if (!ended) {
            subscription.thenAccept(Flow.Subscription::cancel);
        }
    }
}
