package dev.varve.platform.remote;

import dev.varve.platform.wire.CallResponder;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireException;
import dev.varve.testkit.Await;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** The answer of a session to one request of a test. */
final class Answer implements CallResponder {
    final List<Message> progress = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Message> end = new CompletableFuture<>();
    private volatile boolean cancelled;

    /** Asks a session, on this thread. */
    static Answer of(ShardSession service, Message request) {
        Answer answer = new Answer();
        service.handle(request, answer);
        return answer;
    }

    /** The result. */
    Message result() {
        return Await.result(end);
    }

    /** Why there is no result. */
    WireException failure() {
        return (WireException) Await.failure(end);
    }

    /** Whether there is a result; a session fails with nothing but what the wire knows. */
    boolean succeeded() {
        return end.handle((result, failure) -> failure == null || failure() == null).join();
    }

    void cancel() {
        cancelled = true;
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void onCancel(Runnable action) {
        throw new UnsupportedOperationException("sessions look at isCancelled");
    }

    @Override
    public void progress(Message message) {
        progress.add(message);
    }

    @Override
    public void reply(Message result) {
        if (!end.complete(result)) {
            throw new IllegalStateException("answered twice");
        }
    }

    @Override
    public void fail(WireException error) {
        if (!end.completeExceptionally(error)) {
            throw new IllegalStateException("answered twice");
        }
    }
}
