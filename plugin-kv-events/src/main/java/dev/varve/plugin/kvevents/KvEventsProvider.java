package dev.varve.plugin.kvevents;

import dev.varve.api.event.CacheListener;
import dev.varve.api.event.CacheListenerAddress;
import dev.varve.api.event.CacheListenerProvider;
import dev.varve.api.plugin.IsolatedProvider;

/** Events over ZeroMQ, at {@code tcp} addresses. */
public final class KvEventsProvider implements CacheListenerProvider {
    private final IsolatedProvider<CacheListenerProvider> listeners =
            new IsolatedProvider<>(
                    KvEventsProvider.class,
                    CacheListenerProvider.class,
                    "dev.varve.plugin.kvevents.zmq.ZmqListeners",
                    "plugin kv-events: cannot load its libraries");

    /** Called by the service loader. */
    public KvEventsProvider() {}

    @Override
    public String scheme() {
        return "tcp";
    }

    @Override
    public CacheListener open(CacheListenerAddress address) {
        return listeners.get().open(address);
    }
}
