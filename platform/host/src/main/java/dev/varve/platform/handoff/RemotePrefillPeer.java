package dev.varve.platform.handoff;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SharedStore;
import dev.varve.platform.prefix.HandOffException;
import dev.varve.platform.prefix.HandOffOutcome;
import dev.varve.platform.prefix.PrefillPeer;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveSettings;
import dev.varve.platform.wire.ChannelLostException;
import dev.varve.platform.wire.Message;
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
import java.util.function.BooleanSupplier;

/** A prefill server that this server reaches over a transport. */
public final class RemotePrefillPeer implements PrefillPeer {
    /** Interval at which a waiting request is checked for its cancellation. */
    private static final long CHECK_MILLIS = 20;

    /**
     * A reply of some megabytes takes seconds over a slow link, in particular beside those of other
     * prompts. A dead peer is detected sooner, since it sends no heartbeats.
     */
    private static final Duration RESPONSE_LIMIT = Duration.ofSeconds(20);

    private final String address;
    private final PrefillConnection connection;
    private final SharedArchive archive;

    /**
     * Creates a peer. It is used once it has responded, and waits for that only briefly.
     *
     * @param link closed with the peer
     */
    public RemotePrefillPeer(String address, ShardLink link, Namespace namespace) {
        this.address = address;
        connection = new PrefillConnection(address, link, namespace.id());
        SharedStore store = new RemoteBlockStore(connection);
        archive =
                SharedArchive.open(
                        new SharedArchiveSettings(
                                "prefill peer " + address,
                                namespace,
                                true,
                                RESPONSE_LIMIT,
                                Optional.empty()),
                        store);
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public SharedArchive archive() {
        return archive;
    }

    @Override
    public OptionalDouble millisPerToken() {
        return connection.report().millisPerToken();
    }

    @Override
    public long capacityBytes() {
        return connection.report().capacityBytes();
    }

    @Override
    public void prefill(Job job, Duration limit, BooleanSupplier isAwaited)
            throws HandOffException {
        CompletableFuture<Message> reply;
        try {
            reply = connection.channel(RESPONSE_LIMIT).call(HandOffMessages.prefill(job), limit);
        } catch (IOException e) {
            throw new HandOffException(HandOffOutcome.LOST, e.getMessage());
        }
        try {
            connection.report(HandOffMessages.Report.read(await(reply, isAwaited)));
        } finally {
            // Stops the other side if it still computes.
            reply.cancel(false);
        }
    }

    private static Message await(CompletableFuture<Message> reply, BooleanSupplier isAwaited)
            throws HandOffException {
        while (true) {
            try {
                return reply.get(CHECK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (!isAwaited.getAsBoolean()) {
                    throw new HandOffException(HandOffOutcome.CANCELLED, "the request ended");
                }
            } catch (ExecutionException e) {
                throw failure(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new HandOffException(HandOffOutcome.CANCELLED, "interrupted");
            }
        }
    }

    private static HandOffException failure(Throwable cause) {
        return switch (cause) {
            case ChannelLostException lost ->
                    new HandOffException(HandOffOutcome.LOST, lost.getMessage());
            case WireException error when error.code() == WireErrorCode.DEADLINE ->
                    new HandOffException(HandOffOutcome.SLOW, error.getMessage());
            case VarveException error ->
                    new HandOffException(HandOffOutcome.REFUSED, error.getMessage());
            default -> new HandOffException(HandOffOutcome.LOST, cause.toString());
        };
    }

    /** Closes the archive and with it the connection. */
    @Override
    public void close() {
        archive.close();
    }
}
