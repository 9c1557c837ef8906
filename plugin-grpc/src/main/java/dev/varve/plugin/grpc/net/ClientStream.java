package dev.varve.plugin.grpc.net;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.TransportOptions;

import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The client's side of a call, on a channel of its own. */
final class ClientStream extends ClientCall.Listener<Incoming> implements GrpcCall {
    /** Time after a close within which written data may still arrive. */
    static final long LINGER_SECONDS = 5;

    private final HostPort target;
    private final ManagedChannel channel;
    private final ClientCall<Outgoing, Incoming> call;
    private final StreamConnection connection;
    private final CompletableFuture<Void> accepted = new CompletableFuture<>();

    ClientStream(HostPort target, ManagedChannel channel, ClientCall<Outgoing, Incoming> call) {
        this.target = target;
        this.channel = channel;
        this.call = call;
        this.connection = new StreamConnection(target.toString(), this);
    }

    /** Waits until the listener has accepted; when this throws, nothing is left open. */
    Connection open(
            Metadata metadata, Protection protection, long limitNanos, TransportOptions options)
            throws IOException {
        call.start(this, metadata);
        call.request(ByteStreams.MESSAGES_AHEAD);
        try {
            accepted.get(limitNanos, TimeUnit.NANOSECONDS);
            return connection;
        } catch (ExecutionException e) {
            channel.shutdownNow();
            throw Failures.connect(
                    target, protection, ((StatusException) e.getCause()).getStatus());
        } catch (TimeoutException e) {
            channel.shutdownNow();
            throw new IOException(
                    target + ": no response within " + options.connectLimit().toMillis() + " ms",
                    e);
        } catch (InterruptedException e) {
            channel.shutdownNow();
            Thread.currentThread().interrupt();
            throw new IOException(target + ": interrupted while connecting", e);
        }
    }

    @Override
    public void onHeaders(Metadata headers) {
        accepted.complete(null);
    }

    @Override
    public void onMessage(Incoming message) {
        connection.received(message);
    }

    @Override
    public void onReady() {
        connection.ready();
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        accepted.completeExceptionally(status.asException());
        if (status.isOk()) {
            connection.ended();
        } else {
            connection.broken(Failures.text(status), status.asException());
        }
        channel.shutdown();
    }

    @Override
    public void request(int messages) {
        GrpcCall.unlessEnded(() -> call.request(messages));
    }

    @Override
    public boolean isReady() {
        return call.isReady();
    }

    @Override
    public void send(Outgoing message) {
        call.sendMessage(message);
    }

    @Override
    public void finish() {
        GrpcCall.unlessEnded(call::halfClose);
        GrpcCall.unlessEnded(channel::shutdown);
        Thread.ofVirtual().name("varve-grpc-close").start(this::linger);
    }

    private void linger() {
        try {
            channel.awaitTermination(LINGER_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            channel.shutdownNow();
        }
    }
}
