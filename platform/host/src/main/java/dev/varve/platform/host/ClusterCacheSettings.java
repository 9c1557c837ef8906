package dev.varve.platform.host;

import java.util.Objects;
import java.util.Optional;

/**
 * Settings to share cached prefixes with other servers and to report them to routers.
 *
 * @param store shared store for several servers; empty for none
 * @param events cache events for routers; empty for none
 * @param handOff prompts that servers compute for each other; empty for none
 */
public record ClusterCacheSettings(
        Optional<SharedStoreSettings> store,
        Optional<CacheEventSettings> events,
        Optional<HandOffSettings> handOff) {
    /** Shares nothing and reports nothing. */
    public static final ClusterCacheSettings NONE =
            new ClusterCacheSettings(Optional.empty(), Optional.empty(), Optional.empty());

    /** Checks that nothing is missing. */
    public ClusterCacheSettings {
        Objects.requireNonNull(store);
        Objects.requireNonNull(events);
        Objects.requireNonNull(handOff);
    }

    /** Returns a copy with another hand-off of prompts. */
    public ClusterCacheSettings with(Optional<HandOffSettings> other) {
        return new ClusterCacheSettings(store, events, other);
    }

    /** Returns a copy for a model name. */
    public ClusterCacheSettings of(String model) {
        return new ClusterCacheSettings(store, events.map(each -> each.of(model)), handOff);
    }
}
