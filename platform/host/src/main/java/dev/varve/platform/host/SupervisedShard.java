package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.PeerAccess;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.remote.ShardResources;
import dev.varve.platform.remote.ShardServer;
import dev.varve.platform.remote.ShardWireOptions;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Computes layers for the process that started this one: reads the secret from the standard input,
 * serves one connection, and ends with it or with the standard input.
 */
@SuppressWarnings("exports") // see package-info
public final class SupervisedShard {
    private SupervisedShard() {}

    /**
     * Serves the connection of the parent process with the plugins of this one, until it ends.
     *
     * @param device device of this process that the parent may use
     * @param models model files that it may use
     * @param address address to listen on, with the scheme of its transport
     * @param input standard input of this process
     * @param announce accepts the line by which the parent sees that this process listens
     * @throws IllegalArgumentException if device or address is malformed, or the secret is missing
     * @throws VarveException of kind UNAVAILABLE if the device is missing or the address cannot be
     *     used
     */
    public static void serve(
            PluginSettings plugins,
            String device,
            List<Path> models,
            String address,
            InputStream input,
            Consumer<String> announce)
            throws IOException {
        PluginCatalog catalog = plugins.catalog();
        InstalledShardResources resources =
                new InstalledShardResources(
                        catalog,
                        new LocalBackends(
                                catalog.backends(),
                                plugins.backendOptions(PeerAccess.THROUGH_HOST)),
                        new InstalledShardResources.Permitted(
                                List.of(DeviceReference.parse(device)), models, List.of()),
                        TensorDigests.cachedIn(plugins.cacheFolder()));
        resources.requireDevices();
        serve(catalog, resources, TransportOptions.defaults(), address, input, announce);
    }

    /**
     * Serves the connection of the parent process, until it ends.
     *
     * @param options trust settings; the secret is added
     * @param address address to listen on, with the scheme of its transport
     * @param input standard input of this process
     * @param announce accepts the line by which the parent sees that this process listens
     */
    public static void serve(
            PluginCatalog catalog,
            ShardResources resources,
            TransportOptions options,
            String address,
            InputStream input,
            Consumer<String> announce)
            throws IOException {
        int colon = address.indexOf(':');
        TransportProvider transport = catalog.transport(address.substring(0, Math.max(0, colon)));
        TransportOptions trust = options.withToken(ParentProcessMonitor.readToken(input));
        try (Listener listener = transport.listen(address.substring(colon + 1), trust)) {
            ParentProcessMonitor.endWith(input, listener, address);
            announce.accept("listening on " + listener.address());
            ShardServer server =
                    new ShardServer(
                            resources,
                            ShardWireOptions.wireOptions("shard").withToken(trust.token()));
            server.serve(onlyConnection(listener)).join();
        }
        ParentProcessMonitor.deleteFolder(address);
    }

    /** No other client may connect, and the socket's file must not remain. */
    private static Connection onlyConnection(Listener listener) throws IOException {
        Connection only = listener.accept();
        listener.close();
        return only;
    }
}
