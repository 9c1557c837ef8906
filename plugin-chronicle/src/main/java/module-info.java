/**
 * Keeps cached prefixes in files of Chronicle Map.
 *
 * <p>The libraries that {@code requires static} names are not modules of the plugin's layer: they
 * are in the folder {@code lib} beside its jar, and work on a class path only.
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
