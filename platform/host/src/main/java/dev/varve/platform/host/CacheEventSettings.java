package dev.varve.platform.host;

import dev.varve.api.event.CacheListenerAddress;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.prefix.CacheEventPublisher;
import dev.varve.platform.prefix.DiskTierOptions;

import java.net.URI;
import java.util.Objects;
import java.util.Optional;

/**
 * Settings of cache events for routers.
 *
 * @param publish address for subscribers, such as {@code tcp://*:5557}
 * @param replay address at which they request missed events; empty for none
 * @param pod name of the server
 * @param model name of the model in requests
 */
public record CacheEventSettings(URI publish, Optional<URI> replay, String pod, String model) {
    /** Checks that nothing is missing. */
    public CacheEventSettings {
        Objects.requireNonNull(publish);
        Objects.requireNonNull(replay);
        Objects.requireNonNull(pod);
        Objects.requireNonNull(model);
    }

    /** Returns a copy for another model. */
    public CacheEventSettings of(String other) {
        return new CacheEventSettings(publish, replay, pod, other);
    }

    /**
     * Starts publishing events.
     *
     * @param variant identity of the model's adapters; empty without any
     * @throws dev.varve.api.VarveException if no plugin publishes them, or an address cannot be
     *     used
     */
    CacheEventPublisher open(PluginCatalog catalog, byte[] variant) {
        return CacheEventPublisher.to(
                catalog.cacheListener(publish.getScheme())
                        .open(
                                new CacheListenerAddress(
                                        publish.toString(),
                                        replay.map(URI::toString),
                                        pod,
                                        model,
                                        DiskTierOptions.BLOCK_TOKENS)),
                variant);
    }
}
