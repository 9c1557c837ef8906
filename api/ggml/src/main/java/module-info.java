/** The binding of ggml, and calls of other native libraries. */
module dev.varve.ggml {
    requires transitive dev.varve.error;

    exports dev.varve.api.ggml;
    exports dev.varve.api.nativecall;
}
