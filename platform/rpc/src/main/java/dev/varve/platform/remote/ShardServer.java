package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;
import dev.varve.platform.wire.WireChannel;
import dev.varve.platform.wire.WireOptions;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Serves the connections of a shard process; each has a session of its own. Thread-safe. */
public final class ShardServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.remote");

    private final ShardResources host;
    private final WireOptions options;
    private final RangeLoader loader;
    private final Set<WireChannel> channels = ConcurrentHashMap.newKeySet();

    /** Creates a server without connections. */
    public ShardServer(ShardResources host, WireOptions options) {
        this(host, options, RangeLoader.local());
    }

    /** Creates a server without connections and with another range loader. */
    ShardServer(ShardResources host, WireOptions options, RangeLoader loader) {
        this.host = host;
        this.options = options;
        this.loader = loader;
    }

    /**
     * Serves a connection, concurrently with other connections.
     *
     * @return completes once the connection has ended and its resources are freed
     */
    public CompletableFuture<Void> serve(Connection connection) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                run(connection);
                            } finally {
                                done.complete(null);
                            }
                        });
        return done;
    }

    private void run(Connection connection) {
        ShardSession service = new ShardSession(host, loader);
        try (WireChannel channel =
                WireChannel.accept(connection, options, service, service::execute)) {
            channel.progressCounter(service::progress);
            channels.add(channel);
            LOG.log(System.Logger.Level.INFO, "a server connected: {0}", connection.peer());
            String reason = channel.lost().join();
            LOG.log(System.Logger.Level.INFO, "the server''s connection ended: {0}", reason);
            channels.remove(channel);
        } catch (VarveException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the connection of {0} was rejected: {1}",
                    connection.peer(),
                    e.getMessage());
        } finally {
            service.close();
        }
    }

    /** Ends all connections. */
    @Override
    public void close() {
        channels.forEach(WireChannel::close);
    }
}
