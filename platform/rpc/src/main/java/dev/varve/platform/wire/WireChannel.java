package dev.varve.platform.wire;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Sends and serves concurrent requests over one connection, in both directions. Owns the
 * connection. Thread-safe.
 *
 * <p>Futures complete on the thread that reads the connection: continuations without their own
 * executor must not block, nor must a consumer of progress. Sending from them is allowed.
 */
public final class WireChannel implements AutoCloseable {
    /** How long the reader may take to read why the other side ended. */
    private static final long LAST_WORDS_MILLIS = 50;

    private static final long GOODBYE_MILLIS = 200;
    private static final Handler NO_HANDLER =
            (request, call) ->
                    call.fail(
                            new WireException(
                                    WireErrorCode.UNSUPPORTED, "this side serves no requests"));

    private final Connection connection;
    private final WireOptions options;
    private final NegotiatedParameters terms;
    private final PayloadTransport payloads;
    private final WireCounters counters;
    private final FrameReader reader;
    private final Map<Long, PendingCall> pending = new ConcurrentHashMap<>();
    private final Set<PendingCall> activeCalls = ConcurrentHashMap.newKeySet();
    private final SendQueue outbox;
    private final IncomingCalls incoming;
    private final MessageReceiver inbox;
    private final CompletableFuture<String> lost = new CompletableFuture<>();
    private final AtomicBoolean ending = new AtomicBoolean();
    private volatile LongSupplier progressCounter = () -> 0;
    private volatile long peerProgress;
    private volatile Future<?> heartbeat = CompletableFuture.completedFuture(null);
    private long lastReadings;
    private int missed;

    private WireChannel(
            Connection connection,
            WireOptions options,
            Handler handler,
            Executor threads,
            WireCounters counters,
            FrameReader reader,
            FrameWriter writer,
            Handshake.Outcome outcome) {
        this.connection = connection;
        this.options = options;
        this.terms = outcome.terms();
        payloads = outcome.rings().isPresent() ? PayloadTransport.SHARED : PayloadTransport.STREAM;
        this.counters = counters;
        this.reader = reader;
        outbox =
                new SendQueue(
                        writer,
                        terms,
                        pending,
                        outcome.rings().map(RingFile.Rings::toPeer),
                        () -> progressCounter.getAsLong(),
                        this::endSoon);
        incoming = new IncomingCalls(options, terms.peerByteCredit(), outbox, handler, threads);
        inbox =
                new MessageReceiver(
                        reader,
                        options,
                        terms,
                        outcome.rings().map(RingFile.Rings::fromPeer),
                        pending,
                        incoming,
                        outbox,
                        counters,
                        progress -> peerProgress = progress);
    }

    /**
     * Connects to the listening side: runs the handshake. Takes ownership of the connection, and
     * closes it on failure.
     *
     * @throws VarveException of kind UNAVAILABLE if the other side refuses or does not answer
     */
    public static WireChannel connect(Connection connection, WireOptions options) {
        return connect(connection, options, NO_HANDLER, Thread::startVirtualThread);
    }

    /** Connects, and serves requests of the other side. */
    public static WireChannel connect(
            Connection connection, WireOptions options, Handler handler, Executor threads) {
        return open(connection, options, handler, threads, Handshake::connect);
    }

    /**
     * Accepts a connection: waits for the hello of the connecting side, at most the handshake
     * limit, and serves its requests, started one after the other on a virtual thread. Takes
     * ownership of the connection, and closes it on failure.
     *
     * @throws VarveException of kind UNAVAILABLE if the other side is refused or sends no hello
     */
    public static WireChannel accept(Connection connection, WireOptions options, Handler handler) {
        return accept(connection, options, handler, Thread::startVirtualThread);
    }

    /**
     * Accepts a connection and serves its requests on the given threads.
     *
     * @param threads executor of the handler, one request at a time; must not run tasks on the
     *     submitting thread
     */
    public static WireChannel accept(
            Connection connection, WireOptions options, Handler handler, Executor threads) {
        return open(connection, options, handler, threads, Handshake::accept);
    }

    private interface HandshakeRole {
        Handshake.Outcome run(Handshake handshake);
    }

    private static WireChannel open(
            Connection connection,
            WireOptions options,
            Handler handler,
            Executor threads,
            HandshakeRole greeting) {
        WireCounters counters = new WireCounters();
        FrameReader reader = new FrameReader(connection, counters);
        FrameWriter writer = new FrameWriter(connection, counters);
        Handshake.Outcome outcome =
                greeting.run(new Handshake(connection, options, reader, writer));
        WireChannel channel =
                new WireChannel(
                        connection, options, handler, threads, counters, reader, writer, outcome);
        channel.start();
        return channel;
    }

    private void start() {
        NonBlockingThread.unstarted("varve-wire-reader " + terms.peer().address(), this::readAll)
                .start();
        outbox.control(ControlFrame.ping(System.nanoTime()));
        heartbeat = WireTimer.every(options.timeouts().heartbeat().toNanos(), this::sendHeartbeat);
        if (ending.get()) {
            heartbeat.cancel(false);
        }
    }

    /**
     * Sends a request.
     *
     * @param deadline longest time until the result arrives, including the wait for credit
     * @return the result; fails with {@link WireException} if the request failed or the time is
     *     over, with {@link ChannelLostException} if the channel ended; cancelling it cancels the
     *     request on the other side
     */
    public CompletableFuture<Message> call(Message request, Duration deadline) {
        return call(request, Deadline.within(deadline), progress -> {});
    }

    /** Sends a request with progress messages, which arrive in order. */
    public CompletableFuture<Message> call(
            Message request, Deadline deadline, Consumer<Message> progress) {
        PendingCall call = new PendingCall(request, deadline, progress);
        if (request.cost() > terms.peerByteCredit()) {
            call.fail(
                    new WireException(
                            WireErrorCode.TOO_LARGE,
                            String.format(
                                    Locale.ROOT,
                                    "request of %d bytes exceeds the %d that %s accepts",
                                    request.cost(),
                                    terms.peerByteCredit(),
                                    terms.peer().address())));
            return call.future();
        }
        activeCalls.add(call);
        call.future().whenComplete((result, error) -> onCallEnded(call));
        outbox.call(call);
        call.startClock();
        if (ending.get()) {
            lost.thenAccept(reason -> call.fail(new ChannelLostException(reason)));
        }
        return call.future();
    }

    private void onCallEnded(PendingCall call) {
        activeCalls.remove(call);
        call.stopClock();
        if (!call.isEnded()) {
            outbox.abandon(call);
        }
    }

    /** Completes with the reason once the channel has ended, on either side. */
    public CompletableFuture<String> lost() {
        return lost.copy();
    }

    /**
     * Sets the counter that shows the other side that this one is not stuck; it must return
     * quickly.
     */
    public void progressCounter(LongSupplier counter) {
        progressCounter = counter;
    }

    /** Returns the other side's counter at its latest sign of life. */
    public long peerProgress() {
        return peerProgress;
    }

    /** Returns the identity of the other side. */
    public PeerInfo peer() {
        return terms.peer();
    }

    /** Returns the traffic so far. */
    public WireStatistics statistics() {
        return counters.read(payloads);
    }

    /** Sends a goodbye and ends all calls. A second call does nothing. */
    @Override
    public void close() {
        end("closed by this side", true);
    }

    private void readAll() {
        try {
            end("the other side closed: " + inbox.readAll(), false);
        } catch (FrameException e) {
            end("protocol broken by the other side: " + e.getMessage(), true);
        } catch (EOFException e) {
            end("the other side closed the connection without a goodbye", false);
        } catch (IOException e) {
            end("connection broke while reading: " + SendQueue.reason(e), false);
        } catch (RuntimeException | Error e) {
            end("reader failed: " + e, true);
            throw e;
        }
    }

    private void sendHeartbeat() {
        long readings = reader.readings();
        missed = readings == lastReadings ? missed + 1 : 0;
        lastReadings = readings;
        // own ticks are counted, not time: a pause of this process does not count as the peer's
        // death
        if (missed >= options.timeouts().misses()) {
            end(
                    String.format(
                            Locale.ROOT,
                            "the other side sent nothing for %d ms",
                            options.timeouts().misses()
                                    * options.timeouts().heartbeat().toMillis()),
                    false);
            return;
        }
        outbox.control(ControlFrame.ping(System.nanoTime()));
    }

    /**
     * Ends the channel after a short wait: the goodbye of the other side may still arrive and is
     * more specific.
     */
    private void endSoon(String reason) {
        WireTimer.after(LAST_WORDS_MILLIS * 1_000_000, () -> end(reason, false));
    }

    private void end(String reason, boolean goodbye) {
        if (!ending.compareAndSet(false, true)) {
            return;
        }
        heartbeat.cancel(false);
        if (goodbye) {
            Future<?> limit = WireTimer.after(GOODBYE_MILLIS * 1_000_000, connection::close);
            outbox.close(reason, GOODBYE_MILLIS);
            limit.cancel(false);
        }
        outbox.kill();
        connection.close();
        String where = terms.peer().address() + ": " + reason;
        activeCalls.forEach(call -> call.fail(new ChannelLostException(where)));
        incoming.cancelAll();
        lost.complete(where);
    }
}
