package dev.varve.plugin.grpc.net;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The transport with its libraries. */
public final class NetworkTransport implements TransportProvider {
    /** Referenced here, since loggers without a reference lose their level. */
    private static final List<Logger> LIBRARY_LOGGERS =
            List.of(Logger.getLogger("io.grpc"), Logger.getLogger("io.netty"));

    /** Called by the plugin's front, in the class loader of the libraries. */
    public NetworkTransport() {
        // Failures reach the caller as an exception; the libraries would log them a second time.
        LIBRARY_LOGGERS.forEach(logger -> logger.setLevel(Level.SEVERE));
    }

    @Override
    public String scheme() {
        return "grpc";
    }

    @Override
    public Connection connect(String address, TransportOptions options) throws IOException {
        HostPort target = HostPort.parseTarget(address);
        long end = System.nanoTime() + options.connectLimit().toNanos();
        List<InetAddress> addresses = resolve(target, options.connectLimit());
        GrpcClient client = GrpcClient.of(target, addresses, options);
        return client.connect(end);
    }

    @Override
    public Listener listen(String address, TransportOptions options) throws IOException {
        HostPort local = HostPort.parse(address);
        InetAddress host = resolve(local, options.connectLimit()).getFirst();
        return StreamListener.open(local, host, options);
    }

    /** Resolves a name in a thread of its own, since the system's resolver has no time limit. */
    private static List<InetAddress> resolve(HostPort name, Duration limit) throws IOException {
        CompletableFuture<List<InetAddress>> found = new CompletableFuture<>();
        Thread.ofVirtual()
                .name("varve-grpc-resolve")
                .start(
                        () -> {
                            try {
                                found.complete(List.of(InetAddress.getAllByName(name.host())));
                            } catch (UnknownHostException e) {
                                found.completeExceptionally(e);
                            }
                        });
        try {
            return found.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IOException(name + ": unknown host " + name.host(), e.getCause());
        } catch (TimeoutException e) {
            throw new IOException(name + ": no response of the name service within " + limit, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(name + ": interrupted while connecting", e);
        }
    }
}
