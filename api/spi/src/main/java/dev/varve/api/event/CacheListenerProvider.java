package dev.varve.api.event;

/**
 * A protocol that publishes prefix cache events to routers; found with {@link
 * java.util.ServiceLoader}.
 *
 * <p>One instance per process, thread-safe. The constructor must not open sockets, load libraries
 * or start threads, because listing plugins has to stay cheap and safe. Exceptions other than the
 * declared ones, or a null, are reported as a fault of the plugin.
 */
public interface CacheListenerProvider {
    /**
     * Scheme of its addresses: {@code "tcp"} in {@code tcp://*:5557}; unique among providers. Small
     * letters, digits, {@code -} and {@code _}, beginning with a letter; the same at every call.
     */
    String scheme();

    /**
     * Starts publishing events.
     *
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if an address is invalid; of
     *     kind UNAVAILABLE if it is taken, or the plugin's libraries do not run here
     */
    CacheListener open(CacheListenerAddress address);
}
