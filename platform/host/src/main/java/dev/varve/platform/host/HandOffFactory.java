package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;
import dev.varve.platform.handoff.HandOffWireOptions;
import dev.varve.platform.handoff.PrefillService;
import dev.varve.platform.handoff.RemotePrefillPeer;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.prefix.HandOffMode;
import dev.varve.platform.prefix.HandOffPeers;
import dev.varve.platform.prefix.HandOffTierOptions;
import dev.varve.platform.remote.ExternalProcessLink;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.wire.WireOptions;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Opens the peers of a server and its service for other servers. */
final class HandOffFactory {
    /** Maximum time for a connection to a peer, during which prompts are computed here. */
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(2);

    private static final String ENCRYPTED = "grpcs";

    private final HandOffSettings settings;
    private final PluginCatalog catalog;
    private final TransportOptions transport;

    HandOffFactory(HandOffSettings settings, PluginCatalog catalog, TransportOptions transport) {
        this.settings = settings;
        this.catalog = catalog;
        this.transport = transport;
    }

    private WireOptions wireOptions(String role) {
        return HandOffWireOptions.of(role).withToken(transport.token());
    }

    /** Returns the transport of an address; {@code grpcs} is grpc that must be encrypted. */
    private TransportProvider transportOf(String address) {
        String scheme = address.substring(0, address.indexOf(':'));
        if (!scheme.equals(ENCRYPTED)) {
            return catalog.transport(scheme);
        }
        if (transport.identity().isEmpty() && transport.trusted().isEmpty()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    address
                            + ": grpcs needs certificates: --shard-tls-cert and --shard-tls-key"
                            + " (of this side), --shard-tls-ca (trusted authorities)");
        }
        return catalog.transport("grpc");
    }

    private static String target(String address) {
        return address.substring(address.indexOf(':') + 1);
    }

    /**
     * Listens for decode servers, if configured.
     *
     * @throws VarveException if the address cannot be used
     */
    Optional<PrefillService> service(Namespace namespace) {
        return settings.listener().map(endpoint -> service(endpoint, namespace));
    }

    private PrefillService service(HandOffSettings.Endpoint endpoint, Namespace namespace) {
        try {
            Listener listener =
                    transportOf(endpoint.address()).listen(target(endpoint.address()), transport);
            return PrefillService.open(
                    listener, wireOptions("prefill"), namespace.id(), endpoint.storeBytes());
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "prompts cannot be computed for other servers: " + e.getMessage(),
                    e);
        }
    }

    /** Creates the peers, if there are any. */
    Optional<HandOffTierOptions> peers(Namespace namespace) {
        if (settings.peers().isEmpty()) {
            return Optional.empty();
        }
        HandOffMode mode =
                settings.when() == HandOffSettings.When.ALWAYS
                        ? HandOffMode.ALWAYS
                        : HandOffMode.MEASURED;
        return Optional.of(
                new HandOffTierOptions(
                        HandOffPeers.of(
                                settings.peers().stream()
                                        .map(address -> peer(address, namespace))
                                        .toList(),
                                mode),
                        namespace.id(),
                        settings.minTokens(),
                        settings.limit()));
    }

    private RemotePrefillPeer peer(String address, Namespace namespace) {
        TransportOptions brief =
                new TransportOptions(
                        CONNECT_LIMIT,
                        transport.identity(),
                        transport.trusted(),
                        transport.token(),
                        transport.insecure());
        return new RemotePrefillPeer(
                address,
                new ExternalProcessLink(
                        transportOf(address), target(address), brief, wireOptions("decode")),
                namespace);
    }
}
