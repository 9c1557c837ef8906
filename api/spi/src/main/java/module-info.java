/**
 * Types that plugins may use: SPIs and value types. Includes the GGUF reader and the ggml binding.
 */
module dev.varve.api {
    requires transitive dev.varve.error;
    requires transitive dev.varve.ggml;
    requires transitive dev.varve.gguf;

    exports dev.varve.api.backend;
    exports dev.varve.api.event;
    exports dev.varve.api.model;
    exports dev.varve.api.plugin;
    exports dev.varve.api.snapshot;
    exports dev.varve.api.speculation;
    exports dev.varve.api.telemetry;
    exports dev.varve.api.transport;
    exports dev.varve.api.vision;
}
