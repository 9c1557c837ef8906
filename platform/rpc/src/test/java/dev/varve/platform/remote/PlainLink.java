package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.wire.MemoryConnection;
import dev.varve.platform.wire.WireChannel;
import dev.varve.platform.wire.unix.UnixTransport;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The way to a shard server in this process, which a test can cut and put out of order. */
final class PlainLink implements ShardLink {
    /** The transport of the bytes. */
    enum Transport {
        /** Two buffers; all payloads in the stream. */
        MEMORY,
        /** A socket; large payloads in shared memory. */
        UNIX
    }

    private final ShardServer server;
    private final Transport transport;
    private final Path folder;
    private volatile Optional<String> trouble = Optional.empty();
    private volatile Optional<Connection> serverEnd = Optional.empty();
    private volatile CompletableFuture<Void> served = CompletableFuture.completedFuture(null);
    private volatile boolean closed;
    private int sockets;

    /**
     * @param folder for sockets
     */
    PlainLink(ShardServer server, Transport transport, Path folder) {
        this.server = server;
        this.transport = transport;
        this.folder = folder;
    }

    @Override
    public WireChannel open() {
        trouble.ifPresent(
                why -> {
                    throw new VarveException(VarveException.Kind.UNAVAILABLE, why);
                });
        return switch (transport) {
            case MEMORY -> {
                MemoryConnection.Pair pair = MemoryConnection.pair(1 << 16, false);
                yield connect(pair.client(), pair.server());
            }
            case UNIX -> overSocket();
        };
    }

    private WireChannel overSocket() {
        UnixTransport unix = new UnixTransport();
        String address = folder.resolve("link" + ++sockets).resolve("socket").toString();
        try (Listener listener = unix.listen(address, TransportOptions.defaults())) {
            Connection client = unix.connect(address, TransportOptions.defaults());
            return connect(client, listener.accept());
        } catch (IOException e) {
            throw new VarveException(VarveException.Kind.UNAVAILABLE, "no socket", e);
        }
    }

    private WireChannel connect(Connection client, Connection other) {
        serverEnd = Optional.of(other);
        served = server.serve(other);
        return WireChannel.connect(client, ShardWireOptions.wireOptions("server"));
    }

    /** Lets every opening fail, or with empty work again. */
    void outOfOrder(Optional<String> why) {
        trouble = why;
    }

    /** Ends the connection as the end of the process does. */
    void crash() {
        serverEnd.orElseThrow().close();
    }

    /** Completes once the process has freed what the latest connection had loaded. */
    CompletableFuture<Void> served() {
        return served;
    }

    @Override
    public boolean sameHost() {
        return true;
    }

    @Override
    public Optional<String> lastWords() {
        return Optional.of("its last words");
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
    }
}
