package dev.varve.platform.wire;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Queue of all frames to send. A thread that adds a message writes it at once if no other thread
 * writes, and a writing thread continues until no sendable message is left; so a small message
 * needs no second thread. The reader and the timer never write; they leave it to the writer thread.
 *
 * <p>Protocol frames go first and need no credit. Requests wait for request credit and for their
 * own byte credit, which the end of a request returns. Results wait for byte credit that the other
 * side returns once it has processed them. The two credits are separate, since a result that waits
 * for requests to end would wait for itself. Requests start in the order of their calls, and so do
 * results; frames of both alternate.
 */
final class SendQueue {
    private static final int MOST_WAITING_PROGRESS = 32;

    private final FrameWriter writer;
    private final NegotiatedParameters terms;
    private final Map<Long, PendingCall> pending;
    private final Optional<RingProducer> ring;
    private final LongSupplier progress;
    private final Consumer<String> broken;
    private final String name;

    private final ReentrantLock writing = new ReentrantLock();
    private final ReentrantLock state = new ReentrantLock();
    private final Condition repliesMoved = state.newCondition();
    private final CountDownLatch goodbyeSent = new CountDownLatch(1);

    // guarded by state
    private final Deque<ControlFrame> control = new ArrayDeque<>();
    private final Deque<PendingCall> requests = new ArrayDeque<>();
    private final Deque<OutgoingMessage> replies = new ArrayDeque<>();
    private OptionalLong pong = OptionalLong.empty();
    private Optional<String> goodbye = Optional.empty();
    private Optional<Thread> writerThread = Optional.empty();
    private long creditToReturn;
    private long requestBytesFree;
    private long replyBytesFree;
    private int requestsFree;
    private long nextId;
    private boolean requestsTurn;
    private volatile boolean closed;

    SendQueue(
            FrameWriter writer,
            NegotiatedParameters terms,
            Map<Long, PendingCall> pending,
            Optional<RingProducer> ring,
            LongSupplier progress,
            Consumer<String> broken) {
        this.writer = writer;
        this.terms = terms;
        this.pending = pending;
        this.ring = ring;
        this.progress = progress;
        this.broken = broken;
        this.name = terms.peer().address();
        this.requestBytesFree = terms.peerByteCredit();
        this.replyBytesFree = NegotiatedParameters.replyWindow(terms.peerByteCredit());
        this.requestsFree = terms.peerRequestCredit();
        this.nextId = terms.firstId();
    }

    /** Sends a request as soon as its credit is available. */
    void call(PendingCall call) {
        change(() -> requests.add(call));
    }

    /** Sends the end of a request of the other side. */
    void reply(OutgoingMessage reply) {
        change(() -> replies.add(reply));
    }

    /** Sends a progress message; waits while many of them are queued. */
    void progress(OutgoingReply reply) {
        state.lock();
        try {
            while (replies.size() >= MOST_WAITING_PROGRESS && !closed) {
                repliesMoved.awaitUninterruptibly();
            }
        } finally {
            state.unlock();
        }
        reply(reply);
    }

    /** Sends a protocol frame. */
    void control(ControlFrame frame) {
        change(() -> control.add(frame));
    }

    /** Answers a ping; only the latest ping counts, so that a flood of them needs no memory. */
    void pong(long number) {
        change(() -> pong = OptionalLong.of(number));
    }

    /** Returns credit for results to the other side. */
    void returnCredit(long bytes) {
        change(() -> creditToReturn += bytes);
    }

    /** Adds credit for results that the other side returned. */
    void credited(long bytes) throws FrameException {
        state.lock();
        try {
            long window = NegotiatedParameters.replyWindow(terms.peerByteCredit());
            if (bytes <= 0 || bytes > window - replyBytesFree) {
                throw new FrameException(
                        String.format(Locale.ROOT, "credit: %d bytes were not in use", bytes));
            }
            replyBytesFree += bytes;
        } finally {
            state.unlock();
        }
        wakeIfNeeded();
    }

    /** Releases the credit of a request that ended. */
    void ended(PendingCall call) {
        change(
                () -> {
                    requestBytesFree += call.message().cost();
                    requestsFree++;
                });
    }

    /** Cancels a request: removes it from the queue, or sends a cancel to the other side. */
    void abandon(PendingCall call) {
        change(
                () -> {
                    if (call.requestId() == 0) {
                        requests.remove(call);
                    } else {
                        control.add(ControlFrame.cancel(call.requestId()));
                    }
                });
    }

    /**
     * Sends a reason as the last frame if that is possible soon, on the calling thread, and accepts
     * no more frames.
     */
    void close(String reason, long waitMillis) {
        change(() -> goodbye = Optional.of(reason));
        drain();
        try {
            goodbyeSent.await(waitMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill();
    }

    /** Accepts no more frames. */
    void kill() {
        state.lock();
        try {
            closed = true;
            writerThread.ifPresent(LockSupport::unpark);
            repliesMoved.signalAll();
        } finally {
            state.unlock();
        }
        goodbyeSent.countDown();
    }

    private void change(Runnable change) {
        state.lock();
        try {
            if (closed) {
                return;
            }
            change.run();
        } finally {
            state.unlock();
        }
        if (NonBlockingThread.isCurrent()) {
            wakeIfNeeded();
        } else {
            drain();
        }
    }

    private void drain() {
        while (hasWork() && writing.tryLock()) {
            try {
                writeAll();
            } catch (IOException e) {
                kill();
                broken.accept("connection broke while writing: " + reason(e));
                return;
            } finally {
                writing.unlock();
            }
        }
    }

    private void writeAll() throws IOException {
        while (!closed) {
            Optional<ControlFrame> frame = nextControl();
            if (frame.isPresent()) {
                writer.write(frame.get());
                if (frame.get().type() == FrameType.GOODBYE) {
                    kill();
                }
                continue;
            }
            Optional<OutgoingMessage> message = nextMessage();
            if (message.isEmpty()) {
                return;
            }
            writer.write(message.get(), terms.maxFrameBytes(), ring);
            if (message.get().isFinished()) {
                finished(message.get());
            }
        }
    }

    private Optional<ControlFrame> nextControl() {
        OptionalLong number;
        state.lock();
        try {
            if (!control.isEmpty()) {
                return Optional.of(control.remove());
            }
            if (creditToReturn > 0) {
                long bytes = creditToReturn;
                creditToReturn = 0;
                return Optional.of(ControlFrame.credit(bytes));
            }
            if (pong.isEmpty()) {
                return goodbye.map(ControlFrame::goodbye);
            }
            number = pong;
            pong = OptionalLong.empty();
        } finally {
            state.unlock();
        }
        return Optional.of(ControlFrame.pong(number.getAsLong(), progress.getAsLong()));
    }

    private Optional<OutgoingMessage> nextMessage() {
        state.lock();
        try {
            boolean request = canSendRequest();
            boolean reply = canSendReply();
            if (request && (requestsTurn || !reply)) {
                requestsTurn = false;
                PendingCall call = requests.element();
                if (call.requestId() == 0) {
                    startRequest(call);
                }
                return Optional.of(call);
            }
            requestsTurn = true;
            if (!reply) {
                return Optional.empty();
            }
            if (!replies.element().isStarted()) {
                replyBytesFree -= replies.element().message().cost();
            }
            return Optional.of(replies.element());
        } finally {
            state.unlock();
        }
    }

    private void startRequest(PendingCall call) {
        requestBytesFree -= call.message().cost();
        requestsFree--;
        call.start(nextId);
        pending.put(nextId, call);
        nextId += 2;
    }

    private boolean canSendRequest() {
        // A call that has expired may not have been removed yet.
        while (!requests.isEmpty() && requests.element().isObsolete()) {
            requests.remove();
        }
        if (requests.isEmpty()) {
            return false;
        }
        PendingCall call = requests.element();
        return call.requestId() != 0
                || requestsFree > 0 && call.message().cost() <= requestBytesFree;
    }

    private boolean canSendReply() {
        return !replies.isEmpty()
                && (replies.element().isStarted()
                        || replies.element().message().cost() <= replyBytesFree);
    }

    private void finished(OutgoingMessage message) {
        state.lock();
        try {
            switch (message) {
                case PendingCall call -> requests.remove(call);
                case OutgoingReply _, OutgoingError _ -> {
                    replies.remove(message);
                    repliesMoved.signal();
                }
            }
        } finally {
            state.unlock();
        }
    }

    private boolean hasWork() {
        state.lock();
        try {
            return !closed
                    && (!control.isEmpty()
                            || creditToReturn > 0
                            || pong.isPresent()
                            || goodbye.isPresent()
                            || canSendRequest()
                            || canSendReply());
        } finally {
            state.unlock();
        }
    }

    private void wakeIfNeeded() {
        if (!hasWork()) {
            return;
        }
        state.lock();
        try {
            if (writerThread.isEmpty()) {
                writerThread =
                        Optional.of(
                                Thread.ofPlatform()
                                        .daemon()
                                        .name("varve-wire-writer " + name)
                                        .start(this::writeForOthers));
            }
            writerThread.ifPresent(LockSupport::unpark);
        } finally {
            state.unlock();
        }
    }

    private void writeForOthers() {
        while (!closed) {
            drain();
            // A lock wait above may have consumed the unpark of kill().
            if (!closed) {
                LockSupport.park(this);
            }
        }
    }

    static String reason(IOException e) {
        return e.getMessage() == null ? "the connection ended" : e.getMessage();
    }
}
