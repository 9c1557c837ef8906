package dev.varve.platform.wire;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Requests of the other side that have not ended, within its credit. */
final class IncomingCalls {
    private final Map<Long, IncomingCall> open = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicInteger requests = new AtomicInteger();
    private final WireOptions options;
    private final long peerByteCredit;
    private final SendQueue outbox;
    private final Handler handler;
    private final Executor starter;

    IncomingCalls(
            WireOptions options,
            long peerByteCredit,
            SendQueue outbox,
            Handler handler,
            Executor threads) {
        this.options = options;
        this.peerByteCredit = peerByteCredit;
        this.outbox = outbox;
        this.handler = handler;
        this.starter = new SerialExecutor(threads);
    }

    /**
     * Registers a request whose first frame arrived, before memory is allocated for it.
     *
     * @param cost bytes of the whole message
     */
    IncomingCall announce(long id, long cost) throws FrameException {
        if (requests.incrementAndGet() > options.limits().requestCredit()) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "request credit: more than %d requests at once",
                            options.limits().requestCredit()));
        }
        if (cost > options.limits().byteCredit()
                || bytes.addAndGet(cost) > options.limits().byteCredit()) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "byte credit: a request of %d bytes exceeds what is left of %d",
                            cost,
                            options.limits().byteCredit()));
        }
        IncomingCall call = new IncomingCall(id, cost, this);
        open.put(id, call);
        return call;
    }

    /** Starts a request that arrived completely. */
    void start(IncomingCall call, Message request) {
        if (call.isCancelled()) {
            call.fail(new WireException(WireErrorCode.CANCELLED, "cancelled before it started"));
            return;
        }
        starter.execute(() -> handle(call, request));
    }

    // an exception or error of the handler ends this one call and not the thread
    private void handle(IncomingCall call, Message request) {
        try {
            handler.handle(request, call);
        } catch (RuntimeException | Error e) {
            call.failed(e);
        }
    }

    /** Handles a cancel of the other side; does nothing if the call has ended meanwhile. */
    void cancel(long id) {
        IncomingCall call = open.get(id);
        if (call != null) {
            call.cancel();
        }
    }

    void cancelAll() {
        open.values().forEach(IncomingCall::cancel);
    }

    void progress(IncomingCall call, Message message) {
        if (message.cost() > peerByteCredit) {
            throw new IllegalArgumentException(tooLarge("progress", message));
        }
        outbox.progress(new OutgoingReply(call.id(), FrameHeader.MessageKind.PROGRESS, message));
    }

    void reply(IncomingCall call, Message result) {
        if (result.cost() > peerByteCredit) {
            fail(call, new WireException(WireErrorCode.TOO_LARGE, tooLarge("result", result)));
            return;
        }
        release(call);
        outbox.reply(new OutgoingReply(call.id(), FrameHeader.MessageKind.RESULT, result));
    }

    void fail(IncomingCall call, WireException error) {
        release(call);
        outbox.reply(new OutgoingError(call.id(), error));
    }

    private String tooLarge(String what, Message message) {
        return String.format(
                Locale.ROOT,
                "%s of %d bytes exceeds the %d that the other side accepts",
                what,
                message.cost(),
                peerByteCredit);
    }

    private void release(IncomingCall call) {
        open.remove(call.id());
        bytes.addAndGet(-call.cost());
        requests.decrementAndGet();
    }
}
