package dev.varve.platform.remote;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;
import dev.varve.platform.shard.RemoteProcessInfo;
import dev.varve.platform.wire.WireChannel;
import dev.varve.platform.wire.WireOptions;

import java.io.IOException;
import java.util.Optional;

/** Link to a shard process that the operator started, here or on another host. */
public final class ExternalProcessLink implements ShardLink {
    private final TransportProvider transport;
    private final String address;
    private final TransportOptions transportOptions;
    private final WireOptions wireOptions;
    private volatile boolean sameHost;

    /**
     * @param address without the transport's scheme
     */
    public ExternalProcessLink(
            TransportProvider transport,
            String address,
            TransportOptions transportOptions,
            WireOptions wireOptions) {
        this.transport = transport;
        this.address = address;
        this.transportOptions = transportOptions;
        this.wireOptions = wireOptions;
    }

    @Override
    public WireChannel open() {
        Connection connection;
        try {
            connection = transport.connect(address, transportOptions);
        } catch (IOException e) {
            String name = transport.scheme() + ":" + address + ": ";
            String reason = FileErrors.reason(e);
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    name
                            + "no shard responds: "
                            + (reason.startsWith(name) ? reason.substring(name.length()) : reason),
                    e);
        }
        sameHost = connection.sameHost();
        return WireChannel.connect(connection, wireOptions);
    }

    @Override
    public boolean sameHost() {
        return sameHost;
    }

    @Override
    public RemoteProcessInfo peer() {
        return new RemoteProcessInfo(
                false, Optional.of(transport.scheme() + ":" + address), Optional.empty());
    }

    @Override
    public Optional<String> lastWords() {
        return Optional.empty();
    }

    @Override
    public void close() {
        // This link does not own the process.
    }
}
