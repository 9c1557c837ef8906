package dev.varve.platform.plugin;

import dev.varve.api.VarveException;

import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Who provides each name of one kind. A name has one provider; whoever comes second is refused by
 * file and module.
 */
final class ProviderTable<T> {
    private record Owned<T>(T provider, PluginOrigin origin) {}

    private final PluginServiceKind<T> spi;
    private final SortedMap<String, Owned<T>> owned = new TreeMap<>();

    ProviderTable(PluginServiceKind<T> spi) {
        this.spi = spi;
    }

    /** Adds what is no plugin's; it can be trusted to keep the contract of its service. */
    void addBuiltIn(String name, T provider, PluginOrigin origin) {
        owned.put(name, new Owned<>(provider, origin));
    }

    /**
     * Fails if a name of a plugin has a provider already, be it in the plugin itself; changes
     * nothing.
     */
    void requireFree(LoadedPlugin plugin) throws PluginRejectedException {
        Map<String, PluginOrigin> fresh = new HashMap<>();
        for (PluginServices.Service<T> service : plugin.services().of(spi)) {
            for (String name : service.names()) {
                PluginOrigin owner =
                        owned.containsKey(name)
                                ? owned.get(name).origin()
                                : fresh.putIfAbsent(name, plugin.origin());
                if (owner != null) {
                    throw new PluginRejectedException(
                            String.format(
                                    Locale.ROOT,
                                    "%s %s is provided twice: by %s and by %s",
                                    spi.words().name(),
                                    name,
                                    owner,
                                    plugin.origin()));
                }
            }
        }
    }

    /** Adds the providers of a plugin whose names are free. */
    void add(LoadedPlugin plugin) {
        for (PluginServices.Service<T> service : plugin.services().of(spi)) {
            T guarded = PluginCalls.guard(spi, service.provider(), plugin.origin());
            for (String name : service.names()) {
                owned.put(name, new Owned<>(guarded, plugin.origin()));
            }
        }
    }

    /** Providers by name. */
    Map<String, T> providers() {
        SortedMap<String, T> providers = new TreeMap<>();
        owned.forEach((name, owner) -> providers.put(name, owner.provider()));
        return Collections.unmodifiableSortedMap(providers);
    }

    /**
     * The provider of a name.
     *
     * @param where what asks for it, before the message; may be empty
     * @param plugins which plugins there are, the end of the message
     * @throws VarveException if there is none, naming those that there are
     */
    T require(String name, String where, Supplier<String> plugins) {
        Owned<T> owner = owned.get(name);
        if (owner == null) {
            throw new VarveException(
                    spi.trouble().kind(),
                    where
                            + String.format(
                                    Locale.ROOT,
                                    spi.trouble().unknown(),
                                    name,
                                    String.join(", ", owned.keySet()))
                            + "; "
                            + plugins.get());
        }
        return owner.provider();
    }
}
