package dev.varve.plugin.kvevents;

import dev.varve.api.event.CacheListener;
import dev.varve.api.event.CacheListenerAddress;
import dev.varve.api.event.CacheListenerProvider;

import java.util.Optional;

/** Events over ZeroMQ, at {@code tcp} addresses. */
public final class KvEventsProvider implements CacheListenerProvider {
    private Optional<CacheListenerProvider> loaded = Optional.empty();

    /** Called by the service loader. */
    public KvEventsProvider() {}

    private synchronized CacheListenerProvider loaded() {
        if (loaded.isEmpty()) {
            loaded = Optional.of(Libraries.load("dev.varve.plugin.kvevents.zmq.ZmqListeners"));
        }
        return loaded.get();
    }

    @Override
    public String scheme() {
        return "tcp";
    }

    @Override
    public CacheListener open(CacheListenerAddress address) {
        return loaded().open(address);
    }
}
