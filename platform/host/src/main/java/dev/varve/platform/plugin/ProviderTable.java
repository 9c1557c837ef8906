package dev.varve.platform.plugin;

import dev.varve.api.VarveException;

import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Maps the names of one kind to their providers. A name has one provider; a second one is rejected
 * with file and module.
 */
final class ProviderTable<T> {
    private record Owned<T>(Supplier<T> source, PluginOrigin origin) {
        T provider() {
            return source.get();
        }
    }

    /**
     * Guards a provider when it is first used: Java generates a class for each kind of guard, and
     * most starts use few kinds.
     */
    private final class Guard implements Supplier<T> {
        private final T provider;
        private final PluginOrigin origin;
        private Optional<T> guarded = Optional.empty();

        Guard(T provider, PluginOrigin origin) {
            this.provider = provider;
            this.origin = origin;
        }

        @Override
        public synchronized T get() {
            T found = guarded.orElseGet(() -> PluginCalls.guard(spi, provider, origin));
            guarded = Optional.of(found);
            return found;
        }
    }

    /** Names in a list that a user need not read: the nearest name precedes it. */
    private static final int LONG_LIST = 9;

    private final PluginServiceKind<T> spi;
    private final SortedMap<String, Owned<T>> owned = new TreeMap<>();

    ProviderTable(PluginServiceKind<T> spi) {
        this.spi = spi;
    }

    /** Adds a built-in provider; it is trusted and not guarded. */
    void addBuiltIn(String name, T provider, PluginOrigin origin) {
        owned.put(name, new Owned<>(() -> provider, origin));
    }

    /**
     * Fails if a name of a plugin already has a provider, also within the plugin itself; changes
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

    /** Adds the providers of a plugin, whose names must be free. */
    void add(LoadedPlugin plugin) {
        for (PluginServices.Service<T> service : plugin.services().of(spi)) {
            Guard guard = new Guard(service.provider(), plugin.origin());
            for (String name : service.names()) {
                owned.put(name, new Owned<>(guard, plugin.origin()));
            }
        }
    }

    /** Returns the providers by name. */
    Map<String, T> providers() {
        SortedMap<String, T> providers = new TreeMap<>();
        owned.forEach((name, owner) -> providers.put(name, owner.provider()));
        return Collections.unmodifiableSortedMap(providers);
    }

    /**
     * Returns the provider of a name.
     *
     * @param where source of the name, at the start of the message; may be empty
     * @param refused list of the refused plugins, at the end of the message; may be empty
     * @throws VarveException if there is none, listing the known ones
     */
    T require(String name, String where, Supplier<String> refused) {
        Owned<T> owner = owned.get(name);
        if (owner == null) {
            throw new VarveException(spi.trouble().kind(), where + unknown(name) + refused.get());
        }
        return owner.provider();
    }

    /** Returns the message for a name without a provider, with the nearest and the known ones. */
    String unknown(String name) {
        Optional<String> nearest =
                owned.size() < LONG_LIST
                        ? Optional.empty()
                        : NearestName.ofRelated(name, owned.keySet());
        return String.format(Locale.ROOT, spi.trouble().unknown(), name)
                + nearest.map(known -> "; nearest: " + known).orElse("")
                + (owned.isEmpty() ? "" : "; known: " + String.join(", ", owned.keySet()));
    }
}
