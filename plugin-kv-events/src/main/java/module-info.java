/**
 * Tells routers over ZeroMQ which computed prompts a server has.
 *
 * <p>The libraries that {@code requires static} names are not modules of the plugin's layer: they
 * lie in the folder {@code lib} beside its jar, where nobody opens them before somebody is told.
 */
module dev.varve.plugin.kvevents {
    requires dev.varve.api;
    requires static msgpack.core;
    requires static org.zeromq.jeromq;

    provides dev.varve.api.event.CacheListenerProvider with
            dev.varve.plugin.kvevents.KvEventsProvider;
}
