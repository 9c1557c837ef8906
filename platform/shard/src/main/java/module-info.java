/**
 * Layer ranges on devices: the interface of a shard, shards in this process, and their placement.
 */
@SuppressWarnings("module") // the modules above this one are compiled later
module dev.varve.platform.shard {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.base;
    requires jdk.jfr;

    exports dev.varve.platform.failure to
            dev.varve.platform.cache,
            dev.varve.platform.engine,
            dev.varve.platform.server;
    exports dev.varve.platform.placement to
            dev.varve.embedded,
            dev.varve.platform.cli,
            dev.varve.platform.host;
    exports dev.varve.platform.shard to
            dev.varve.platform.cache,
            dev.varve.platform.chat,
            dev.varve.platform.cli,
            dev.varve.platform.engine,
            dev.varve.platform.host,
            dev.varve.platform.rpc,
            dev.varve.platform.server,
            dev.varve.platform.speculation;
    exports dev.varve.platform.shard.image to
            dev.varve.platform.host,
            dev.varve.platform.rpc;
    exports dev.varve.platform.shard.local to
            dev.varve.platform.host,
            dev.varve.platform.rpc,
            dev.varve.platform.speculation;
    exports dev.varve.platform.shard.lora to
            dev.varve.platform.cache,
            dev.varve.platform.engine,
            dev.varve.platform.host,
            dev.varve.platform.rpc,
            dev.varve.platform.server;
    exports dev.varve.platform.shard.scoring to
            dev.varve.platform.cli,
            dev.varve.platform.host,
            dev.varve.platform.rpc;
    exports dev.varve.platform.shard.streaming to
            dev.varve.platform.host;
}
