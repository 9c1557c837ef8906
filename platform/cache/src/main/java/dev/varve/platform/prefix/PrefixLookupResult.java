package dev.varve.platform.prefix;

import java.util.Objects;
import java.util.Optional;

/**
 * Result of the prefix lookup of a request: a hit with its source, or a miss with its reason.
 *
 * @param source source of the cached prefix; empty for a miss
 * @param tokens cached tokens of the prompt
 * @param restored copies to the devices for this hit
 * @param miss reason of the miss; empty for a hit
 */
public record PrefixLookupResult(
        Optional<CacheSource> source,
        int tokens,
        RestoreStats restored,
        Optional<MissReason> miss) {
    /** Checks that either a source or a miss reason is present. */
    public PrefixLookupResult {
        Objects.requireNonNull(restored);
        if (source.isPresent() == miss.isPresent()) {
            throw new IllegalArgumentException("a lookup result must be either a hit or a miss");
        }
    }

    /**
     * Bytes that were copied from host memory.
     *
     * @param bytes number of bytes
     * @param millis time from the decision to the last byte
     */
    public record RestoreStats(long bytes, double millis) {
        /** No copy. */
        public static final RestoreStats NOTHING = new RestoreStats(0, 0);
    }

    /** Creates a hit on the devices. */
    public static PrefixLookupResult onDevice(int tokens) {
        return new PrefixLookupResult(
                Optional.of(CacheSource.DEVICE), tokens, RestoreStats.NOTHING, Optional.empty());
    }

    /** Creates a hit in host memory or in a store below it. */
    public static PrefixLookupResult restored(
            CacheSource source, int tokens, RestoreStats restored) {
        return new PrefixLookupResult(Optional.of(source), tokens, restored, Optional.empty());
    }

    /** Creates a miss. */
    public static PrefixLookupResult missed(MissReason reason) {
        return new PrefixLookupResult(
                Optional.empty(), 0, RestoreStats.NOTHING, Optional.of(reason));
    }
}
