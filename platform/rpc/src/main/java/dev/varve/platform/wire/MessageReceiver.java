package dev.varve.platform.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Reads frames and forwards complete messages. Checks every field before it is used, and lengths
 * and credit before memory is allocated; the first invalid field ends the connection. For the
 * reader thread alone.
 */
final class MessageReceiver {
    private final FrameReader reader;
    private final WireOptions options;
    private final NegotiatedParameters terms;
    private final Optional<RingConsumer> ring;
    private final Map<Long, PendingCall> pending;
    private final IncomingCalls incoming;
    private final SendQueue outbox;
    private final WireCounters counters;
    private final LongConsumer peerProgress;

    private final Map<Long, Assembly> assemblies = new HashMap<>();
    private final Map<Long, Integer> chunks = new HashMap<>();
    private long lastPeerId;
    private long replyBytes;
    private long creditToReturn;

    MessageReceiver(
            FrameReader reader,
            WireOptions options,
            NegotiatedParameters terms,
            Optional<RingConsumer> ring,
            Map<Long, PendingCall> pending,
            IncomingCalls incoming,
            SendQueue outbox,
            WireCounters counters,
            LongConsumer peerProgress) {
        this.reader = reader;
        this.options = options;
        this.terms = terms;
        this.ring = ring;
        this.pending = pending;
        this.incoming = incoming;
        this.outbox = outbox;
        this.counters = counters;
        this.peerProgress = peerProgress;
    }

    /**
     * Reads until the other side sends a goodbye.
     *
     * @return its reason
     * @throws FrameException if the other side violated the protocol
     * @throws IOException if the connection broke
     */
    String readAll() throws IOException {
        while (true) {
            FrameHeader header = reader.header(terms.maxFrameBytes());
            if (header.type() >= Message.FIRST_TYPE) {
                startMessage(header);
            } else if (header.type() == FrameType.DATA) {
                continueMessage(header);
            } else if (header.type() == FrameType.GOODBYE) {
                return WireText.decode(controlMeta(header, 0, FrameHeader.MAX_META_BYTES));
            } else {
                control(header);
            }
        }
    }

    private void control(FrameHeader header) throws IOException {
        switch (header.type()) {
            case FrameType.ERROR -> error(header);
            case FrameType.CANCEL -> cancel(header);
            case FrameType.PING -> outbox.pong(controlMeta(header, 8, 8).getLong());
            case FrameType.PONG -> pong(controlMeta(header, 16, 16));
            case FrameType.CREDIT -> outbox.credited(controlMeta(header, 8, 8).getLong());
            default -> throw new FrameException("frame type: " + header.type() + " is not known");
        }
    }

    private void startMessage(FrameHeader header) throws IOException {
        long id = header.requestId();
        check(header.status() == 0, header, "status in a message");
        check(header.chunk() == 0, header, "first frame with a chunk index");
        check(!assemblies.containsKey(id), header, "message inside another message of its request");
        ByteBuffer meta = reader.meta(header);
        MessagePrefix prefix = MessagePrefix.read(meta, header.shared());
        checkLength(header, prefix);
        long cost = meta.remaining() + prefix.totalBytes();
        Assembly.Target target = target(header, cost);
        Assembly assembly =
                new Assembly(
                        target,
                        header.type(),
                        meta,
                        ByteBuffer.allocate((int) prefix.totalBytes()));
        if (header.shared()) {
            takeShared(header, prefix, assembly.payload());
        } else if (header.payloadBytes() > 0) {
            reader.payload(header, assembly.payload());
        }
        if (assembly.isComplete()) {
            deliver(assembly);
        } else {
            assemblies.put(id, assembly);
            chunks.put(id, 1);
        }
    }

    private void checkLength(FrameHeader header, MessagePrefix prefix) throws FrameException {
        if (prefix.totalBytes() > options.limits().byteCredit()) {
            throw violation(
                    header,
                    "message of %d bytes exceeds the limit of %d",
                    prefix.totalBytes(),
                    options.limits().byteCredit());
        }
        if (header.shared()) {
            boolean fits = ring.isPresent() && prefix.totalBytes() <= ring.get().capacity();
            check(fits, header, "payload does not fit the shared memory, or there is none");
            check(
                    header.payloadBytes() == 0 && header.last() && prefix.totalBytes() > 0,
                    header,
                    "payload both in shared memory and in the frame");
            return;
        }
        boolean complete = header.payloadBytes() == prefix.totalBytes();
        if (complete != header.last()
                || header.payloadBytes() > prefix.totalBytes()
                || !complete && header.payloadBytes() == 0) {
            throw violation(
                    header,
                    "first frame of %d bytes for a message of %d",
                    header.payloadBytes(),
                    prefix.totalBytes());
        }
    }

    private Assembly.Target target(FrameHeader header, long cost) throws FrameException {
        return switch (header.part()) {
            case NONE -> throw new FrameException("message that is neither request nor response");
            case REQUEST -> new Assembly.Target.Request(request(header, cost));
            case PROGRESS -> new Assembly.Target.Progress(callForResponse(header, cost));
            case RESULT -> new Assembly.Target.Result(callForResponse(header, cost));
        };
    }

    private IncomingCall request(FrameHeader header, long cost) throws FrameException {
        long id = header.requestId();
        check(terms.isPeerId(id) && id > lastPeerId, header, "request id is not new");
        lastPeerId = id;
        return incoming.announce(id, cost);
    }

    private PendingCall callForResponse(FrameHeader header, long cost) throws FrameException {
        PendingCall call = pendingCall(header);
        replyBytes += cost;
        check(
                cost <= options.limits().byteCredit()
                        && replyBytes
                                <= NegotiatedParameters.replyWindow(options.limits().byteCredit()),
                header,
                "byte credit is used up");
        return call;
    }

    private PendingCall pendingCall(FrameHeader header) throws FrameException {
        PendingCall call = pending.get(header.requestId());
        check(call != null && call.isSent(), header, "response to a request that is not open");
        return call;
    }

    private void continueMessage(FrameHeader header) throws IOException {
        long id = header.requestId();
        Assembly assembly = assemblies.get(id);
        check(assembly != null, header, "continuation of a message that did not begin");
        check(header.metaBytes() == 0 && header.status() == 0, header, "meta or status in data");
        check(
                header.part() == FrameHeader.MessageKind.NONE && !header.shared(),
                header,
                "invalid flags in data");
        int chunk = chunks.merge(id, 1, Integer::sum) - 1;
        if (header.chunk() != chunk) {
            throw violation(header, "chunk index: expected %d, found %d", chunk, header.chunk());
        }
        int left = assembly.payload().remaining();
        if (header.payloadBytes() == 0
                || header.payloadBytes() > left
                || header.payloadBytes() == left != header.last()) {
            throw violation(header, "found %d bytes, but %d are left", header.payloadBytes(), left);
        }
        reader.payload(header, assembly.payload());
        if (assembly.isComplete()) {
            assemblies.remove(id);
            chunks.remove(id);
            deliver(assembly);
        }
    }

    private void takeShared(FrameHeader header, MessagePrefix prefix, ByteBuffer target)
            throws FrameException {
        ring.orElseThrow().take(header.requestId(), prefix.slot(), target);
        target.position(target.limit());
        counters.sharedPayloads.increment();
        counters.bytesReceived.add(prefix.totalBytes());
    }

    private void deliver(Assembly assembly) {
        switch (assembly.target()) {
            case Assembly.Target.Request(IncomingCall call) ->
                    incoming.start(call, assembly.message());
            case Assembly.Target.Progress(PendingCall call) -> {
                call.progressed(assembly.message());
                taken(assembly.cost());
            }
            case Assembly.Target.Result(PendingCall call) -> {
                end(call);
                call.succeed(assembly.message());
                taken(assembly.cost());
            }
        }
    }

    private void taken(long cost) {
        creditToReturn += cost;
        if (creditToReturn >= NegotiatedParameters.batch(options.limits().byteCredit())) {
            replyBytes -= creditToReturn;
            outbox.returnCredit(creditToReturn);
            creditToReturn = 0;
        }
    }

    private void end(PendingCall call) {
        pending.remove(call.requestId());
        outbox.ended(call);
    }

    private void error(FrameHeader header) throws IOException {
        PendingCall call = pendingCall(header);
        check(
                !assemblies.containsKey(header.requestId()),
                header,
                "error inside a message of its request");
        WireErrorCode code = WireErrorCode.of(header.status());
        check(header.metaBytes() >= 1 && header.last(), header, "error without meta");
        checkControl(header);
        ByteBuffer meta = reader.meta(header);
        WireException.Retry retry =
                meta.get() != 0 ? WireException.Retry.WORTHWHILE : WireException.Retry.USELESS;
        end(call);
        call.fail(new WireException(code, retry, WireText.decode(meta)));
    }

    private void cancel(FrameHeader header) throws IOException {
        long id = header.requestId();
        check(terms.isPeerId(id) && id <= lastPeerId, header, "cancelled request never began");
        check(
                header.status() == 0 && header.metaBytes() == 0,
                header,
                "cancel with status or meta");
        checkControl(header);
        reader.meta(header);
        incoming.cancel(id);
    }

    private void pong(ByteBuffer meta) {
        // The number of the ping, which this side does not compare.
        meta.getLong();
        peerProgress.accept(meta.getLong());
    }

    private ByteBuffer controlMeta(FrameHeader header, int minBytes, int maxBytes)
            throws IOException {
        check(
                header.requestId() == 0
                        && header.status() == 0
                        && header.metaBytes() >= minBytes
                        && header.metaBytes() <= maxBytes,
                header,
                "invalid request id, status or length");
        checkControl(header);
        return reader.meta(header);
    }

    private static void checkControl(FrameHeader header) throws FrameException {
        check(
                header.flags() == FrameHeader.LAST
                        && header.payloadBytes() == 0
                        && header.chunk() == 0,
                header,
                "invalid flags, payload or chunk index");
    }

    private static void check(boolean good, FrameHeader header, String wrong)
            throws FrameException {
        if (!good) {
            throw violation(header, wrong);
        }
    }

    /** Builds the text only for an exception: a text for each frame would dominate the cost. */
    private static FrameException violation(FrameHeader header, String format, Object... values) {
        return new FrameException(
                String.format(
                        Locale.ROOT,
                        "frame of type %d for request %d: %s",
                        header.type(),
                        header.requestId(),
                        String.format(Locale.ROOT, format, values)));
    }
}
