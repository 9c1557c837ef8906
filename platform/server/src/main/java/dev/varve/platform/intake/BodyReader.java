package dev.varve.platform.intake;

import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Reads the body of one request asynchronously, without a waiting thread.
 *
 * <p>Lives from {@link #start} to the end of its request, when {@link #release} frees its memory.
 * Another thread calls {@link #check} at intervals, which ends a body that is too slow.
 */
final class BodyReader {
    /**
     * Bytes outside of the budget: small requests succeed however much memory other requests hold.
     */
    private static final int FREE_BYTES = 64 << 10;

    private final Request request;
    private final IngressLimits limits;
    private final MemoryBudget.Claim memory;
    private final Consumer<BodyOutcome> whenDone;
    private final BodyBuffer body = new BodyBuffer();
    private final BodyRateMonitor clock;

    /** A chunk that was read and waits for memory. */
    private Optional<Content.Chunk> waiting = Optional.empty();

    /** Since when the next chunk waits for memory. */
    private OptionalLong waitingSince = OptionalLong.empty();

    private boolean done;

    BodyReader(
            Request request,
            IngressLimits limits,
            MemoryBudget memory,
            Consumer<BodyOutcome> whenDone) {
        this.request = request;
        this.limits = limits;
        this.memory = memory.open();
        this.whenDone = whenDone;
        clock = new BodyRateMonitor(limits.timeouts(), System.nanoTime());
    }

    void start() {
        if (request.getLength() > limits.bodyBytes()) {
            end(new BodyOutcome.Refused(IngressException.tooLarge(limits.bodyBytes())));
        } else {
            read();
        }
    }

    /** Ends a body that is too slow, or resumes one that waits for memory. */
    void check() {
        Optional<IngressException> refusal;
        synchronized (this) {
            if (done) {
                return;
            }
            refusal = refusal(System.nanoTime());
            if (refusal.isEmpty() && waiting.isEmpty()) {
                return;
            }
        }
        refusal.ifPresentOrElse(reason -> end(new BodyOutcome.Refused(reason)), this::read);
    }

    /** Returns why reading must stop; empty if it need not. */
    private Optional<IngressException> refusal(long now) {
        if (waiting.isPresent()) {
            return now - waitingSince.orElse(now) > limits.memoryTimeout().toNanos()
                    ? Optional.of(
                            IngressException.busy("the bodies of other requests fill its memory"))
                    : Optional.empty();
        }
        return clock.isTooSlow(body.size(), now)
                ? Optional.of(IngressException.tooSlow(body.size()))
                : Optional.empty();
    }

    /** Frees the memory, if it is not freed yet. The body must not be in use any more. */
    synchronized void release() {
        done = true;
        waiting.ifPresent(Content.Chunk::release);
        waiting = Optional.empty();
        memory.release();
    }

    private void read() {
        readAvailable().ifPresent(this::end);
    }

    /** Reads the available bytes; empty if more bytes follow. */
    private synchronized Optional<BodyOutcome> readAvailable() {
        while (!done) {
            Content.Chunk chunk = waiting.orElseGet(request::read);
            waiting = Optional.empty();
            if (chunk == null) {
                request.demand(this::read);
                return Optional.empty();
            }
            if (Content.Chunk.isFailure(chunk)) {
                return Optional.of(BodyOutcome.of(chunk.getFailure()));
            }
            if (body.size() + (long) chunk.remaining() > limits.bodyBytes()) {
                chunk.release();
                return Optional.of(
                        new BodyOutcome.Refused(IngressException.tooLarge(limits.bodyBytes())));
            }
            if (!ensureCapacity(chunk.remaining())) {
                waiting = Optional.of(chunk);
                return Optional.empty();
            }
            boolean last = chunk.isLast();
            body.append(chunk.getByteBuffer());
            clock.advance(body.size(), System.nanoTime());
            chunk.release();
            if (last) {
                return Optional.of(
                        new BodyOutcome.Complete(new RequestBody(body.take(), this::release)));
            }
        }
        return Optional.empty();
    }

    private boolean ensureCapacity(int bytes) {
        int growth = body.growth(bytes);
        if (growth == 0 || body.size() + growth <= FREE_BYTES) {
            return true;
        }
        if (!memory.tryTake(growth)) {
            waitingSince = OptionalLong.of(waitingSince.orElseGet(System::nanoTime));
            return false;
        }
        waitingSince.ifPresent(since -> clock.skip(System.nanoTime() - since));
        waitingSince = OptionalLong.empty();
        return true;
    }

    private void end(BodyOutcome outcome) {
        synchronized (this) {
            if (done) {
                return;
            }
            done = true;
        }
        whenDone.accept(outcome);
    }
}
