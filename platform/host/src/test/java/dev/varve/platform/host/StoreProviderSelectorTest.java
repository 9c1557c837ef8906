package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;
import dev.varve.platform.plugin.LoadedPlugin;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.plugin.PluginOrigin;
import dev.varve.platform.plugin.PluginServiceKind;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A store is chosen by its name; where several could be meant, none is taken. */
class StoreProviderSelectorTest {
    private record Store(String name) implements SnapshotStoreProvider {
        @Override
        public SnapshotStore open(Path path, StoreSize size, StoreAccess access) {
            throw new UnsupportedOperationException();
        }
    }

    private static PluginCatalog catalog(String... stores) {
        return PluginCatalog.of(
                Stream.of(stores)
                        .map(
                                name ->
                                        LoadedPlugin.of(
                                                new PluginOrigin(
                                                        Path.of(name + ".jar"),
                                                        "acme." + name,
                                                        Optional.empty()),
                                                Map.of(
                                                        PluginServiceKind.STORES,
                                                        List.of(new Store(name)))))
                        .toList());
    }

    private static VarveException refused(PluginCatalog catalog, Optional<String> name) {
        return assertThrows(
                VarveException.class, () -> StoreProviderSelector.choose(catalog, name));
    }

    @Test
    void onlyStoreNeedsNoName() {
        assertEquals(
                "slots", StoreProviderSelector.choose(catalog("slots"), Optional.empty()).name());
    }

    @Test
    void nameSelectsAmongSeveral() {
        PluginCatalog both = catalog("chronicle", "slots");

        assertEquals("slots", StoreProviderSelector.choose(both, Optional.of("slots")).name());
        assertEquals(
                "chronicle", StoreProviderSelector.choose(both, Optional.of("chronicle")).name());
    }

    @Test
    void severalStoresWithoutANameAreRefused() {
        VarveException refusal = refused(catalog("chronicle", "slots"), Optional.empty());

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        assertTrue(refusal.getMessage().contains("chronicle, slots"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("set {setting:storeName}"), refusal.getMessage());
    }

    @Test
    void unknownNameListsTheKnownOnes() {
        VarveException refusal = refused(catalog("chronicle", "slots"), Optional.of("slot"));

        assertTrue(
                refusal.getMessage()
                        .contains("no plugin provides store slot; known: chronicle, slots"),
                refusal.getMessage());
    }

    @Test
    void missingStoreNamesThePluginToInstall() {
        VarveException refusal = refused(catalog(), Optional.empty());

        assertTrue(refusal.getMessage().contains("varve-plugin-chronicle"), refusal.getMessage());
    }
}
