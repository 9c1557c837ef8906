package dev.varve.platform.prefix;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Hand-off of prompts to prefill peers.
 *
 * @param peers closed with the cache
 * @param namespace identifies the model and every other setting that changes the computed values
 * @param minTokens prompts with fewer tokens to compute stay on this server
 * @param limit how long a request waits for a peer; empty for twice the expected time of this
 *     server
 */
public record HandOffTierOptions(
        HandOffPeers peers, byte[] namespace, int minTokens, Optional<Duration> limit) {
    /** Checks that no component is null, and copies the bytes. */
    public HandOffTierOptions {
        Objects.requireNonNull(peers);
        Objects.requireNonNull(limit);
        namespace = namespace.clone();
    }

    /** Returns the same peers for one more cache, which closes them as well. */
    HandOffTierOptions share() {
        return new HandOffTierOptions(peers.share(), namespace, minTokens, limit);
    }

    @Override
    public byte[] namespace() {
        return namespace.clone();
    }
}
