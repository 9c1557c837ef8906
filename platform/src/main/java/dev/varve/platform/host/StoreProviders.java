package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.platform.setting.Setting;

import java.util.Map;

/** Which of the plugins that provide stores keeps computed prompts. */
public final class StoreProviders {
    private static final String USUAL = "chronicle";

    private StoreProviders() {}

    /**
     * The one that comes with Varve, or another one if that is not installed.
     *
     * @param stores by their names
     * @throws VarveException of kind UNAVAILABLE if there is none
     */
    public static SnapshotStoreProvider choose(Map<String, SnapshotStoreProvider> stores) {
        if (stores.isEmpty()) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    Setting.STORE_FOLDER
                            + ": no plugin provides a store; Varve's own is the plugin"
                            + " varve-plugin-chronicle");
        }
        return stores.containsKey(USUAL)
                ? stores.get(USUAL)
                : stores.get(stores.keySet().stream().sorted().findFirst().orElseThrow());
    }
}
