package dev.varve.plugin.valkey.net;

import dev.varve.api.snapshot.SharedStoreAddress;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.netty.util.concurrent.DefaultThreadFactory;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Opens connections to one store. */
final class StoreClient implements AutoCloseable {
    private static final int THREADS = 2;

    /** Time for which threads still accept late tasks during shutdown. */
    private static final long QUIET_MILLIS = 200;

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    /**
     * The caller reports failures, without addresses that may contain a password. The reference
     * keeps the logger's level from being lost.
     */
    private static final Logger THEIR_LOG = Logger.getLogger("io.lettuce");

    static {
        THEIR_LOG.setLevel(Level.OFF);
    }

    private final RedisURI target;
    private final ClientResources resources;
    private final RedisClient client;

    StoreClient(SharedStoreAddress address, RedisURI target) {
        this.target = target;
        resources =
                DefaultClientResources.builder()
                        .ioThreadPoolSize(THREADS)
                        .computationThreadPoolSize(THREADS)
                        .threadFactoryProvider(
                                pool -> new DefaultThreadFactory("varve-valkey-" + pool, true))
                        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                        .build();
        client = RedisClient.create(resources);
        client.setOptions(options(address));
    }

    private static ClientOptions options(SharedStoreAddress address) {
        SslOptions.Builder protection = SslOptions.builder().jdkSslProvider();
        address.authority().ifPresent(file -> protection.trustManager(file.toFile()));
        return ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(
                        SocketOptions.builder().connectTimeout(address.connectLimit()).build())
                .sslOptions(protection.build())
                .build();
    }

    /** Returns a connection, once it is established. */
    CompletableFuture<StatefulRedisConnection<String, ByteBuffer>> connect() {
        return client.connectAsync(new TextToBytes(), target).toCompletableFuture();
    }

    @Override
    public void close() {
        // Does not wait for threads that have nothing left to do.
        client.shutdownAsync(QUIET_MILLIS, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete(
                        (done, failure) ->
                                resources.shutdown(
                                        QUIET_MILLIS,
                                        CLOSE_LIMIT.toMillis(),
                                        TimeUnit.MILLISECONDS));
    }
}
