package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.setting.Setting;

import java.util.Map;
import java.util.Optional;

/** Selects the plugin that stores cached prefixes. */
@SuppressWarnings("exports") // see package-info
public final class StoreProviderSelector {
    private StoreProviderSelector() {}

    /**
     * Returns the store of a name, or the only one.
     *
     * @param name as the operator gave it
     * @throws VarveException of kind UNAVAILABLE if no store has that name, or there is no store;
     *     of kind INVALID_REQUEST if there are several and no name is given
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
                            + ": no plugin provides a store; install Varve's plugin"
                            + " varve-plugin-chronicle");
        }
        if (stores.size() > 1) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.STORE_FOLDER
                            + ": plugins provide several stores, "
                            + String.join(", ", stores.keySet())
                            + "; set "
                            + Setting.STORE_NAME
                            + " to one of them");
        }
        return stores.values().iterator().next();
    }
}
