/**
 * Shards in other processes and on other hosts: frames, messages, supervision, and the identity of
 * files.
 */
@SuppressWarnings("module") // the modules above this one are compiled later
module dev.varve.platform.rpc {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.base;
    requires transitive dev.varve.platform.shard;
    requires transitive dev.varve.platform.speculation;
    requires jdk.jfr;

    exports dev.varve.platform.content to
            dev.varve.platform.cli,
            dev.varve.platform.host;
    exports dev.varve.platform.remote to
            dev.varve.platform.cli,
            dev.varve.platform.host;
    exports dev.varve.platform.wire to
            dev.varve.platform.cli,
            dev.varve.platform.host;
    exports dev.varve.platform.wire.unix to
            dev.varve.platform.host;
}
