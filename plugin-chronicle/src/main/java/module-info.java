/**
 * Keeps computed prompts in files that Chronicle Map lays out.
 *
 * <p>The libraries that {@code requires static} names are not modules of the plugin's layer: they
 * lie in the folder {@code lib} beside its jar, and work on a class path alone.
 */
module dev.varve.plugin.chronicle {
    requires dev.varve.api;
    requires java.logging;
    requires static chronicle.bytes;
    requires static chronicle.core;
    requires static chronicle.map;

    provides dev.varve.api.snapshot.SnapshotStoreProvider with
            dev.varve.plugin.chronicle.ChronicleProvider;
}
