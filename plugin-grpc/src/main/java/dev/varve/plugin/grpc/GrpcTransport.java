package dev.varve.plugin.grpc;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;

import java.io.IOException;
import java.util.Optional;

/**
 * Transport {@code grpc:host:port}: bytes in a stream of HTTP/2, with TLS, certificates of both
 * sides and a token. Plain text stays on the machine unless {@code insecure} is set.
 */
public final class GrpcTransport implements TransportProvider {
    private Optional<TransportProvider> loaded = Optional.empty();

    /** Called by the service loader. */
    public GrpcTransport() {}

    /** Loads the libraries at the first call, which takes a few hundred milliseconds. */
    private synchronized TransportProvider loaded() {
        TransportProvider transport =
                loaded.orElseGet(
                        () -> Libraries.load("dev.varve.plugin.grpc.net.NetworkTransport"));
        loaded = Optional.of(transport);
        return transport;
    }

    @Override
    public String scheme() {
        return "grpc";
    }

    @Override
    public Connection connect(String address, TransportOptions options) throws IOException {
        return loaded().connect(address, options);
    }

    @Override
    public Listener listen(String address, TransportOptions options) throws IOException {
        return loaded().listen(address, options);
    }
}
