/**
 * Shares cached prefixes between servers, in a store that speaks the Redis protocol.
 *
 * <p>The libraries that {@code requires static} names are not modules of the plugin's layer: they
 * are in the folder {@code lib} beside its jar, and are not opened before a store is used.
 */
module dev.varve.plugin.valkey {
    requires dev.varve.api;
    requires java.logging;
    requires static io.netty.common;
    requires static lettuce.core;

    provides dev.varve.api.snapshot.SharedStoreProvider with
            dev.varve.plugin.valkey.ValkeyProvider;
}
