package dev.varve.platform.host;

import java.util.Objects;
import java.util.Optional;

/**
 * What other servers and routers have of computed prompts.
 *
 * @param store keeps computed prompts for several servers; empty for none
 * @param events tell routers what is kept here; empty for none
 */
public record CacheSharingSettings(
        Optional<SharedStoreSettings> store, Optional<EventSettings> events) {
    /** Nothing. */
    public static final CacheSharingSettings NONE =
            new CacheSharingSettings(Optional.empty(), Optional.empty());

    /** Checks that nothing is missing. */
    public CacheSharingSettings {
        Objects.requireNonNull(store);
        Objects.requireNonNull(events);
    }

    /** The same for a model of a name. */
    public CacheSharingSettings of(String model) {
        return new CacheSharingSettings(store, events.map(each -> each.of(model)));
    }
}
