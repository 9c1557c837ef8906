/**
 * Speculative decoding: draft models, multi-token prediction, n-grams, and how many tokens to
 * draft.
 */
@SuppressWarnings("module") // the modules above this one are compiled later
module dev.varve.platform.speculation {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.shard;

    exports dev.varve.platform.draft to
            dev.varve.platform.cli,
            dev.varve.platform.engine,
            dev.varve.platform.host,
            dev.varve.platform.rpc,
            dev.varve.platform.server;
    exports dev.varve.platform.mtp to
            dev.varve.platform.host;
    exports dev.varve.platform.speculation to
            dev.varve.platform.cli,
            dev.varve.platform.engine,
            dev.varve.platform.host;
}
