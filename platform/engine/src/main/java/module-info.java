/** The scheduler of requests over shards, and replicas of it. */
@SuppressWarnings("module") // the modules above this one are compiled later
module dev.varve.platform.engine {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.base;
    requires transitive dev.varve.platform.cache;
    requires transitive dev.varve.platform.shard;
    requires transitive dev.varve.platform.speculation;
    requires transitive dev.varve.platform.text;
    requires jdk.jfr;

    exports dev.varve.platform.engine to
            dev.varve.embedded,
            dev.varve.platform.chat,
            dev.varve.platform.cli,
            dev.varve.platform.host,
            dev.varve.platform.server;
    exports dev.varve.platform.replica to
            dev.varve.platform.host;
}
