package dev.varve.platform.wire;

import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** A request of this side that has not been answered. */
final class PendingCall extends OutgoingMessage {
    private final CompletableFuture<Message> future = new CompletableFuture<>();
    private final Deadline deadline;
    private final Consumer<Message> progress;
    private volatile long since = System.nanoTime();
    private volatile long id;
    private volatile boolean sent;
    private volatile boolean ended;
    private volatile Future<?> clock = CompletableFuture.completedFuture(null);

    PendingCall(Message message, Deadline deadline, Consumer<Message> progress) {
        super(message);
        this.deadline = deadline;
        this.progress = progress;
    }

    CompletableFuture<Message> future() {
        return future;
    }

    void start(long requestId) {
        id = requestId;
    }

    @Override
    long requestId() {
        return id;
    }

    @Override
    FrameHeader.MessageKind part() {
        return FrameHeader.MessageKind.REQUEST;
    }

    @Override
    void finishing() {
        sent = true;
    }

    /** Whether the whole request was sent, so that a response is valid. */
    boolean isSent() {
        return sent;
    }

    /** Whether it needs no cancel: it was answered, or the channel can no longer answer it. */
    boolean isEnded() {
        return ended;
    }

    /** Whether nobody waits for a response, and nothing of the request was sent. */
    boolean isObsolete() {
        return id == 0 && future.isDone();
    }

    void startClock() {
        clock = WireTimer.after(left(), this::expire);
        if (future.isDone()) {
            clock.cancel(false);
        }
    }

    void stopClock() {
        clock.cancel(false);
    }

    void progressed(Message message) {
        if (deadline.since() == Deadline.StartEvent.PROGRESS) {
            since = System.nanoTime();
        }
        if (future.isDone()) {
            return;
        }
        try {
            progress.accept(message);
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
        }
    }

    void succeed(Message result) {
        ended = true;
        future.complete(result);
    }

    void fail(RuntimeException error) {
        ended = true;
        future.completeExceptionally(error);
    }

    private long left() {
        return deadline.limit().toNanos() - (System.nanoTime() - since);
    }

    private void expire() {
        if (future.isDone()) {
            return;
        }
        if (left() > 0) {
            startClock();
            return;
        }
        future.completeExceptionally(
                new WireException(
                        WireErrorCode.DEADLINE,
                        WireException.Retry.WORTHWHILE,
                        String.format(
                                Locale.ROOT,
                                "no %s within %d ms",
                                deadline.since() == Deadline.StartEvent.PROGRESS
                                        ? "progress"
                                        : "response",
                                deadline.limit().toMillis())));
    }
}
