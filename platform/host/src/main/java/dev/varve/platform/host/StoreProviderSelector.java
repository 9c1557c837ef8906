package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.setting.Setting;

import java.util.Map;
import java.util.Optional;

/** Chooses which of the plugins that provide stores keeps computed prompts. */
@SuppressWarnings("exports") // see package-info
public final class StoreProviderSelector {
    private StoreProviderSelector() {}

    /**
     * The store of a name, or the only one.
     *
     * @param name as a person gave it
     * @throws VarveException of kind UNAVAILABLE if there is none of that name, or none at all; of
     *     kind INVALID_REQUEST if there are several and no name says which
     */
    public static SnapshotStoreProvider choose(PluginCatalog catalog, Optional<String> name) {
        if (name.isPresent()) {
            return catalog.store(name.get());
        }
        Map<String, SnapshotStoreProvider> stores = catalog.stores();
        if (stores.isEmpty()) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    Setting.STORE_FOLDER
                            + ": no plugin provides a store; Varve's own is the plugin"
                            + " varve-plugin-chronicle");
        }
        if (stores.size() > 1) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.STORE_FOLDER
                            + ": plugins provide several stores, "
                            + String.join(", ", stores.keySet())
                            + "; expected "
                            + Setting.STORE_NAME
                            + " with one of them");
        }
        return stores.values().iterator().next();
    }
}
