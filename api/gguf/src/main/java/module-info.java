/** The reader of GGUF files. */
module dev.varve.gguf {
    requires transitive dev.varve.error;
    requires transitive dev.varve.ggml;

    exports dev.varve.api.gguf;
}
