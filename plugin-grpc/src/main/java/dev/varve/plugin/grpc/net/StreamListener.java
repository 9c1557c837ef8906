package dev.varve.plugin.grpc.net;

import dev.varve.api.FileErrors;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Listens at one port. Connections that were accepted outlive it. */
final class StreamListener implements Listener {
    private static final int MAX_WAITING = 16;
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(5);

    /** Clients ping every ten seconds; a client that pings more often than this is disconnected. */
    private static final Duration SHORTEST_KEEP_ALIVE = Duration.ofSeconds(5);

    private static final Duration WITHOUT_CALL = Duration.ofSeconds(30);

    private final Optional<String> token;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<StreamConnection> waiting = new ArrayDeque<>();
    private final HostPort address;
    private final Server server;
    private boolean closed;

    private StreamListener(HostPort wanted, NettyServerBuilder builder, Optional<String> token)
            throws IOException {
        this.token = token;
        builder.addService(
                ServerServiceDefinition.builder(ByteStreams.SERVICE)
                        .addMethod(ByteStreams.SERVER, this::start)
                        .build());
        try {
            this.server = builder.build().start();
        } catch (IOException e) {
            throw new IOException(
                    wanted + ": cannot listen: " + FileErrors.reason(Failures.deepest(e)), e);
        }
        this.address = wanted.withPort(server.getPort());
    }

    static StreamListener open(HostPort wanted, InetAddress host, TransportOptions options)
            throws IOException {
        Protection protection = Protection.ofListener(wanted, host, options);
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(new InetSocketAddress(host, wanted.port()))
                        .directExecutor()
                        .withChildOption(ChannelOption.TCP_NODELAY, true)
                        .flowControlWindow(ByteStreams.WINDOW_BYTES)
                        .maxInboundMessageSize(ByteStreams.MAX_MESSAGE_BYTES)
                        .maxConcurrentCallsPerConnection(1)
                        .handshakeTimeout(options.connectLimit().toMillis(), TimeUnit.MILLISECONDS)
                        .maxConnectionIdle(WITHOUT_CALL.toMillis(), TimeUnit.MILLISECONDS)
                        .keepAliveTime(KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS)
                        .keepAliveTimeout(
                                GrpcClient.KEEP_ALIVE_ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                        .permitKeepAliveTime(SHORTEST_KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS);
        if (protection == Protection.TLS) {
            builder.sslContext(TlsFiles.server(options));
        }
        return new StreamListener(wanted, builder, options.token());
    }

    private ServerCall.Listener<Incoming> start(
            ServerCall<Incoming, Outgoing> call, Metadata metadata) {
        if (token.isPresent() && !BearerToken.matches(metadata, token.get())) {
            call.close(Status.UNAUTHENTICATED, new Metadata());
            return new ServerCall.Listener<>() {};
        }
        ServerStream stream = new ServerStream(call);
        lock.lock();
        try {
            if (closed || waiting.size() >= MAX_WAITING) {
                call.close(Status.RESOURCE_EXHAUSTED, new Metadata());
                return new ServerCall.Listener<>() {};
            }
            waiting.add(stream.open());
            changed.signal();
            return stream;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String address() {
        return address.toString();
    }

    @Override
    public Connection accept() throws IOException {
        lock.lock();
        try {
            while (!closed && waiting.isEmpty()) {
                changed.awaitUninterruptibly();
            }
            if (closed) {
                throw new IOException(address + ": the listener was closed");
            }
            return waiting.remove();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        List<StreamConnection> left;
        lock.lock();
        try {
            closed = true;
            left = new ArrayList<>(waiting);
            waiting.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        left.forEach(StreamConnection::close);
        server.shutdown();
    }
}
