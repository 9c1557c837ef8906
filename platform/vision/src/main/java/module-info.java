/** Images of requests: decoding, sizes, and the pixels that an image encoder reads. */
@SuppressWarnings("module") // the modules above this one are compiled later
module dev.varve.platform.vision {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.base;
    requires java.desktop;

    exports dev.varve.platform.vision to
            dev.varve.platform.chat,
            dev.varve.platform.cli,
            dev.varve.platform.host,
            dev.varve.platform.server;
}
