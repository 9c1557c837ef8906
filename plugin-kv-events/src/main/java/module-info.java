/**
 * Publishes a server's prefix cache events to routers over ZeroMQ.
 *
 * <p>The libraries that {@code requires static} names are not modules of the plugin's layer: they
 * are in the folder {@code lib} beside its jar, and are not opened before events are published.
 */
module dev.varve.plugin.kvevents {
    requires dev.varve.api;
    requires static msgpack.core;
    requires static org.zeromq.jeromq;

    provides dev.varve.api.event.CacheListenerProvider with
            dev.varve.plugin.kvevents.KvEventsProvider;
}
