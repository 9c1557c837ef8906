package dev.varve.api.snapshot;

import java.util.List;

/**
 * A kind of remote store that several servers share; found with {@link java.util.ServiceLoader}.
 *
 * <p>One instance per process, thread-safe. The constructor must not open connections, load
 * libraries or start threads, because listing plugins has to stay cheap and safe. Exceptions other
 * than the declared ones, or a null, are reported as a fault of the plugin.
 */
public interface SharedStoreProvider {
    /**
     * Schemes of its addresses, unique among providers: {@code "redis"} in {@code
     * redis://host:6379}. Small letters, digits, {@code -} and {@code _}, beginning with a letter;
     * the same at every call.
     */
    List<String> schemes();

    /**
     * Opens a store without connecting to it. The first call connects, and later calls reconnect
     * after a lost connection: a server starts and serves while its store is unreachable.
     *
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if the address is invalid; of
     *     kind UNAVAILABLE if the plugin's libraries do not run here
     */
    SharedStore open(SharedStoreAddress address);
}
