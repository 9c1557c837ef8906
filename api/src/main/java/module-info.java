/** Types that plugins may use: SPIs, value types, the GGUF reader and the ggml binding. */
module dev.varve.api {
    exports dev.varve.api;
    exports dev.varve.api.backend;
    exports dev.varve.api.event;
    exports dev.varve.api.ggml;
    exports dev.varve.api.gguf;
    exports dev.varve.api.model;
    exports dev.varve.api.nativecall;
    exports dev.varve.api.snapshot;
    exports dev.varve.api.speculation;
    exports dev.varve.api.telemetry;
    exports dev.varve.api.transport;
}
