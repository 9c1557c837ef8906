/**
 * Opens models from files with plugins: loading, memory and split plans, prompt compression.
 * Programs that open models themselves use {@link dev.varve.platform.host}.
 */
@SuppressWarnings("module") // the modules above this one are compiled later
module dev.varve.platform.host {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.base;
    requires transitive dev.varve.platform.cache;
    requires transitive dev.varve.platform.engine;
    requires transitive dev.varve.platform.jinja;
    requires transitive dev.varve.platform.rpc;
    requires transitive dev.varve.platform.shard;
    requires transitive dev.varve.platform.speculation;
    requires transitive dev.varve.platform.text;
    requires transitive dev.varve.platform.vision;

    exports dev.varve.platform.check to
            dev.varve.platform.cli;
    exports dev.varve.platform.compression to
            dev.varve.platform.cli,
            dev.varve.platform.server;
    exports dev.varve.platform.compression.conversation to
            dev.varve.platform.cli,
            dev.varve.platform.server;
    exports dev.varve.platform.compression.selection to
            dev.varve.platform.cli,
            dev.varve.platform.server;
    exports dev.varve.platform.embedding to
            dev.varve.embedded,
            dev.varve.platform.cli,
            dev.varve.platform.server;
    exports dev.varve.platform.host;
    exports dev.varve.platform.plan to
            dev.varve.platform.cli;
    exports dev.varve.platform.plugin to
            dev.varve.platform.cli,
            dev.varve.platform.shard;
    exports dev.varve.platform.runtime to
            dev.varve.platform.cli;

    uses dev.varve.api.backend.DeviceBackendProvider;
    uses dev.varve.api.event.CacheListenerProvider;
    uses dev.varve.api.model.ModelFamilyProvider;
    uses dev.varve.api.snapshot.SharedStoreProvider;
    uses dev.varve.api.snapshot.SnapshotStoreProvider;
    uses dev.varve.api.speculation.SpeculatorProvider;
    uses dev.varve.api.telemetry.TraceExporterProvider;
    uses dev.varve.api.transport.TransportProvider;
    uses dev.varve.api.vision.ImageEncoderProvider;
}
