package dev.varve.plugin.kvevents.zmq;

import dev.varve.api.event.CacheListener;
import dev.varve.api.event.CacheListenerAddress;
import dev.varve.api.event.CacheListenerProvider;

/** The provider behind the plugin's front. */
public final class ZmqListeners implements CacheListenerProvider {
    /** Called by the front. */
    public ZmqListeners() {}

    @Override
    public String scheme() {
        return "tcp";
    }

    @Override
    public CacheListener open(CacheListenerAddress address) {
        return ZmqListener.open(address);
    }
}
