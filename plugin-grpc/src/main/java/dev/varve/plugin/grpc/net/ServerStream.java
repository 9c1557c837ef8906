package dev.varve.plugin.grpc.net;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** The listener's side of a call. */
final class ServerStream extends ServerCall.Listener<Incoming> implements GrpcCall {
    private final ServerCall<Incoming, Outgoing> call;
    private final StreamConnection connection;
    private final AtomicBoolean finished = new AtomicBoolean();

    ServerStream(ServerCall<Incoming, Outgoing> call) {
        this.call = call;
        this.connection = new StreamConnection(peer(call), this);
    }

    private static String peer(ServerCall<?, ?> call) {
        return call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)
                        instanceof InetSocketAddress address
                ? new HostPort(address.getAddress().getHostAddress(), address.getPort()).toString()
                : "grpc:" + call.getAuthority();
    }

    /** Signals the client that it may send. */
    StreamConnection open() {
        call.setOnReadyThreshold(ByteStreams.READY_BYTES);
        call.sendHeaders(new Metadata());
        call.request(ByteStreams.MESSAGES_AHEAD);
        return connection;
    }

    @Override
    public void onMessage(Incoming message) {
        connection.received(message);
    }

    /** The client closed, which ends both directions. */
    @Override
    public void onHalfClose() {
        connection.ended();
        connection.finishAfterPeer();
    }

    @Override
    public void onCancel() {
        connection.broken("the other side cancelled the stream", Status.CANCELLED.asException());
    }

    @Override
    public void onComplete() {
        connection.ended();
    }

    @Override
    public void onReady() {
        connection.ready();
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
        if (!finished.get()) {
            call.sendMessage(message);
        }
    }

    @Override
    public void finish() {
        if (finished.compareAndSet(false, true)) {
            GrpcCall.unlessEnded(() -> call.close(Status.OK, new Metadata()));
        }
    }
}
