package dev.varve.plugin.grpc;

import dev.varve.api.plugin.IsolatedProvider;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;

import java.io.IOException;

/**
 * Transport {@code grpc:host:port}: bytes in a stream of HTTP/2, with TLS, certificates of both
 * sides and a token. Plain text stays on the machine unless {@code insecure} is set.
 */
public final class GrpcTransport implements TransportProvider {
    private final IsolatedProvider<TransportProvider> transport =
            new IsolatedProvider<>(
                    GrpcTransport.class,
                    TransportProvider.class,
                    "dev.varve.plugin.grpc.net.NetworkTransport",
                    "transport grpc: cannot load its libraries");

    /** Called by the service loader. */
    public GrpcTransport() {}

    @Override
    public String scheme() {
        return "grpc";
    }

    @Override
    public Connection connect(String address, TransportOptions options) throws IOException {
        return transport.get().connect(address, options);
    }

    @Override
    public Listener listen(String address, TransportOptions options) throws IOException {
        return transport.get().listen(address, options);
    }
}
