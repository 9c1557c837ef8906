package dev.varve.platform.host;

import java.util.Objects;
import java.util.Optional;

/**
 * Settings to share cached prefixes with other servers and to report them to routers.
 *
 * @param store shared store for several servers; empty for none
 * @param events cache events for routers; empty for none
 */
public record CacheSharingSettings(
        Optional<SharedStoreSettings> store, Optional<EventSettings> events) {
    /** Shares nothing and reports nothing. */
    public static final CacheSharingSettings NONE =
            new CacheSharingSettings(Optional.empty(), Optional.empty());

    /** Checks that nothing is missing. */
    public CacheSharingSettings {
        Objects.requireNonNull(store);
        Objects.requireNonNull(events);
    }

    /** Returns a copy for a model name. */
    public CacheSharingSettings of(String model) {
        return new CacheSharingSettings(store, events.map(each -> each.of(model)));
    }
}
