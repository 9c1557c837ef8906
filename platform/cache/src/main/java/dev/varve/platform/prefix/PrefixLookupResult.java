package dev.varve.platform.prefix;

import java.util.Objects;
import java.util.Optional;

/**
 * What a request had of the prefix cache: a hit, which has a source, or a miss, which has a reason.
 *
 * @param source where the beginning of the prompt came from; empty for a miss
 * @param tokens tokens of the prompt that needed no computing
 * @param restored what was copied to the devices for that
 * @param miss why nothing was found; empty for a hit
 */
public record PrefixLookupResult(
        Optional<CacheSource> source, int tokens, Restored restored, Optional<MissReason> miss) {
    /** Checks that nothing is missing. */
    public PrefixLookupResult {
        Objects.requireNonNull(restored);
        if (source.isPresent() == miss.isPresent()) {
            throw new IllegalArgumentException("a use is a hit or a miss");
        }
    }

    /**
     * Bytes that were copied from host memory.
     *
     * @param bytes how many
     * @param millis time from the decision to the last byte
     */
    public record Restored(long bytes, double millis) {
        /** Nothing was copied. */
        public static final Restored NOTHING = new Restored(0, 0);
    }

    /** The devices held it. */
    public static PrefixLookupResult onDevice(int tokens) {
        return new PrefixLookupResult(
                Optional.of(CacheSource.DEVICE), tokens, Restored.NOTHING, Optional.empty());
    }

    /** Host memory held it, or a disk. */
    public static PrefixLookupResult restored(CacheSource source, int tokens, Restored restored) {
        return new PrefixLookupResult(Optional.of(source), tokens, restored, Optional.empty());
    }

    /** Nothing was found. */
    public static PrefixLookupResult missed(MissReason reason) {
        return new PrefixLookupResult(Optional.empty(), 0, Restored.NOTHING, Optional.of(reason));
    }
}
