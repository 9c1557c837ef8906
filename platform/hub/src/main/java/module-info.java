/**
 * Model files from a hub: downloads, the cache that programs share, and the folders of other
 * programs. Independent of model families.
 */
@SuppressWarnings("module") // the modules above this one are compiled later
module dev.varve.platform.hub {
    requires transitive dev.varve.error;
    requires dev.varve.platform.base;
    requires java.net.http;
    requires tools.jackson.databind;

    exports dev.varve.platform.hub to
            dev.varve.platform.cli;
}
