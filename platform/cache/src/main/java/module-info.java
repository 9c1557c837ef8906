/** Sequences in the memory of devices, pages, the prefix cache in its tiers, and its stores. */
@SuppressWarnings("module") // the modules above this one are compiled later
module dev.varve.platform.cache {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.base;
    requires transitive dev.varve.platform.shard;
    requires tools.jackson.core;
    requires tools.jackson.databind;

    exports dev.varve.platform.paging to
            dev.varve.platform.cli,
            dev.varve.platform.engine,
            dev.varve.platform.host,
            dev.varve.platform.server;
    exports dev.varve.platform.prefix to
            dev.varve.platform.engine,
            dev.varve.platform.host,
            dev.varve.platform.server;
    exports dev.varve.platform.sequence to
            dev.varve.platform.engine,
            dev.varve.platform.host,
            dev.varve.platform.server;
    exports dev.varve.platform.store to
            dev.varve.platform.cli,
            dev.varve.platform.engine,
            dev.varve.platform.host,
            dev.varve.platform.server;
}
