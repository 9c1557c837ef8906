package dev.varve.bench.http.stream;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Reads a stream as it arrives: the clock is read before the bytes are processed. */
final class StreamBody implements BodySubscriber<Answer> {
    private final StreamReader reader;
    private final SseLines lines;
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();

    StreamBody(StreamReader reader) {
        this.reader = reader;
        lines = new SseLines(reader);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        long now = System.nanoTime();
        buffers.forEach(bytes -> lines.read(bytes, now));
    }

    @Override
    public void onError(Throwable cause) {
        answer.completeExceptionally(reader.brokenOff(cause));
    }

    @Override
    public void onComplete() {
        try {
            answer.complete(reader.finish(lines.rest()));
        } catch (ServerFailure e) {
            answer.completeExceptionally(e);
        }
    }

    @Override
    public CompletionStage<Answer> getBody() {
        return answer;
    }
}
