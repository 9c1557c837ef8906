package dev.varve.plugin.grpc.net;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.TransportOptions;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Connects to one listener. */
final class GrpcClient {
    /** The connections of a host break twelve and a half seconds after it became silent. */
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);

    static final Duration KEEP_ALIVE_ANSWER = Duration.ofMillis(2500);

    private final HostPort target;
    private final List<InetAddress> addresses;
    private final TransportOptions options;
    private final Protection protection;
    private final Optional<SslContext> tls;

    private GrpcClient(
            HostPort target,
            List<InetAddress> addresses,
            TransportOptions options,
            Protection protection) {
        this.target = target;
        this.addresses = addresses;
        this.options = options;
        this.protection = protection;
        this.tls =
                protection == Protection.TLS
                        ? Optional.of(TlsFiles.client(options))
                        : Optional.empty();
    }

    static GrpcClient of(HostPort target, List<InetAddress> addresses, TransportOptions options) {
        return new GrpcClient(
                target, addresses, options, Protection.ofClient(target, addresses, options));
    }

    /**
     * Tries the addresses in turn; each gets its share of the remaining time.
     *
     * @param end deadline, as {@link System#nanoTime} counts
     */
    Connection connect(long end) throws IOException {
        IOException failure = new IOException(target + ": no address");
        for (int i = 0; i < addresses.size(); i++) {
            long left = Math.max(1, end - System.nanoTime()) / (addresses.size() - i);
            try {
                return attempt(new InetSocketAddress(addresses.get(i), target.port()), left);
            } catch (IOException e) {
                if (i > 0) {
                    e.addSuppressed(failure);
                }
                failure = e;
            }
        }
        throw failure;
    }

    private Connection attempt(InetSocketAddress address, long limitNanos) throws IOException {
        ManagedChannel channel = channel(address, limitNanos);
        CallOptions call = CallOptions.DEFAULT.withOnReadyThreshold(ByteStreams.READY_BYTES);
        ClientStream stream =
                new ClientStream(target, channel, channel.newCall(ByteStreams.CLIENT, call));
        return stream.open(BearerToken.metadata(options.token()), protection, limitNanos, options);
    }

    private ManagedChannel channel(InetSocketAddress address, long limitNanos) {
        int connectMillis = Math.clamp(limitNanos / 1_000_000, 1, Integer.MAX_VALUE);
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress(address)
                        .overrideAuthority(target.authority())
                        .directExecutor()
                        .disableRetry()
                        .withOption(ChannelOption.TCP_NODELAY, true)
                        .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMillis)
                        .flowControlWindow(ByteStreams.WINDOW_BYTES)
                        .maxInboundMessageSize(ByteStreams.MAX_MESSAGE_BYTES)
                        .neverIndexMetadataKey(BearerToken.HEADER)
                        .keepAliveTime(KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS)
                        .keepAliveTimeout(KEEP_ALIVE_ANSWER.toMillis(), TimeUnit.MILLISECONDS);
        tls.ifPresentOrElse(
                builder::sslContext, () -> builder.negotiationType(NegotiationType.PLAINTEXT));
        return builder.build();
    }
}
