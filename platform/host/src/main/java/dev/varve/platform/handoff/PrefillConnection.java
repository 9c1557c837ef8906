package dev.varve.platform.handoff;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireChannel;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The connection to a prefill server: made at the first use, and again at the next use after its
 * loss. Thread-safe.
 */
final class PrefillConnection implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.handoff");

    private final String address;
    private final ShardLink link;
    private final byte[] namespace;
    private volatile HandOffMessages.Report report =
            new HandOffMessages.Report(OptionalDouble.empty(), 0);

    /** Guarded by this object, like the field below. */
    private Optional<WireChannel> channel = Optional.empty();

    private boolean closed;
    private boolean refused;

    /**
     * @param address address of the server, for the log
     * @param link closed with the connection
     */
    PrefillConnection(String address, ShardLink link, byte[] namespace) {
        this.address = address;
        this.link = link;
        this.namespace = namespace.clone();
    }

    /** Returns the latest report of the server. */
    HandOffMessages.Report report() {
        return report;
    }

    void report(HandOffMessages.Report latest) {
        report = latest;
    }

    /**
     * Returns the open connection.
     *
     * @param limit maximum wait for the server's response to the opening
     * @throws IOException if the server cannot be reached, or computes other values
     */
    synchronized WireChannel channel(Duration limit) throws IOException {
        if (closed) {
            throw new IOException("the connection is closed");
        }
        channel = channel.filter(known -> !known.lost().isDone());
        if (channel.isEmpty()) {
            channel = Optional.of(open(limit));
        }
        return channel.get();
    }

    private WireChannel open(Duration limit) throws IOException {
        WireChannel opened;
        try {
            opened = link.open();
        } catch (VarveException e) {
            // The message of the link is about a shard.
            throw new IOException(
                    "no prefill server responds: "
                            + (e.getCause() instanceof IOException cause
                                    ? FileErrors.reason(cause)
                                    : e.getMessage()),
                    e);
        }
        try {
            report =
                    HandOffMessages.Report.read(
                            result(opened.call(HandOffMessages.open(namespace), limit), limit));
            refused = false;
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            logRefusal(e);
            throw e;
        }
    }

    /** Logs once that the server computes other values, which lasts until one is restarted. */
    private void logRefusal(Exception failure) {
        if (!refused
                && failure.getCause() instanceof WireException error
                && error.code() == WireErrorCode.UNSUPPORTED_MODEL) {
            refused = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "peer {0} is not used: {1}",
                    address,
                    error.getMessage());
        }
    }

    /** Waits for a reply; fails also if the server refused the request. */
    static Message result(CompletableFuture<Message> reply, Duration limit) throws IOException {
        try {
            return reply.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("no response within " + limit.toMillis() + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        channel.ifPresent(WireChannel::close);
        link.close();
    }
}
