package dev.varve.api.transport;

import java.io.IOException;

/**
 * A transport over which the server reaches shard processes; found with {@link
 * java.util.ServiceLoader}.
 *
 * <p>One instance per process, thread-safe. The constructor must not open connections, load
 * libraries or start threads, because listing plugins has to stay cheap and safe. Exceptions other
 * than the declared ones, or a null, are reported as a fault of the plugin.
 */
public interface TransportProvider {
    /**
     * Name in addresses: {@code "unix"} in {@code unix:/run/varve/a.sock}; unique among providers.
     * Small letters, digits, {@code -} and {@code _}, beginning with a letter; the same at every
     * call.
     */
    String scheme();

    /**
     * Connects to a shard process that listens.
     *
     * @param address the part after the scheme and its colon
     * @throws IOException if no process accepts within the limit, or one side does not trust the
     *     other, naming the address
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if the address or the options
     *     are invalid for this transport
     */
    Connection connect(String address, TransportOptions options) throws IOException;

    /**
     * Listens for servers.
     *
     * @param address the part after the scheme and its colon
     * @throws IOException if the address is taken or cannot be used
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if the address or the options
     *     are invalid for this transport, or would be unsafe
     */
    Listener listen(String address, TransportOptions options) throws IOException;
}
