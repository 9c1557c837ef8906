package dev.varve.platform.engine;

import dev.varve.platform.prefix.CacheEventPublisher;
import dev.varve.platform.sequence.KvCacheConfig;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Sizes and limits of an engine.
 *
 * @param capacity context, parallel sequences and cache sizes
 * @param queueLimit most queued requests
 * @param suppressedTokens ids that are never chosen
 * @param shardPatience how long requests wait for a lost shard that makes no progress
 * @param pace how prefill is scheduled beside decode
 * @param hostCache host memory of the prefix cache; empty for none
 * @param eventPublisher publishes cache events, closed with the engine; empty for none
 */
public record EngineOptions(
        Capacity capacity,
        int queueLimit,
        int[] suppressedTokens,
        Duration shardPatience,
        PrefillScheduling pace,
        Optional<HostCacheOptions> hostCache,
        Optional<CacheEventPublisher> eventPublisher) {
    /** Default time that requests wait for a lost shard. */
    public static final Duration DEFAULT_SHARD_PATIENCE = Duration.ofSeconds(30);

    /** Checks that the queue and the patience are positive, and copies the tokens. */
    public EngineOptions {
        if (queueLimit < 1) {
            throw new IllegalArgumentException("queue limit must be positive, got " + queueLimit);
        }
        if (shardPatience.isNegative() || shardPatience.isZero()) {
            throw new IllegalArgumentException(
                    "shard patience must be positive, got " + shardPatience);
        }
        suppressedTokens = suppressedTokens.clone();
        Objects.requireNonNull(hostCache);
        Objects.requireNonNull(eventPublisher);
    }

    /** Creates options without cache events. */
    public EngineOptions(
            Capacity capacity,
            int queueLimit,
            int[] suppressedTokens,
            Duration shardPatience,
            PrefillScheduling pace,
            Optional<HostCacheOptions> hostCache) {
        this(
                capacity,
                queueLimit,
                suppressedTokens,
                shardPatience,
                pace,
                hostCache,
                Optional.empty());
    }

    /** Creates options without suppressed tokens, with the default patience and pace. */
    public EngineOptions(Capacity capacity, int queueLimit) {
        this(
                capacity,
                queueLimit,
                new int[0],
                DEFAULT_SHARD_PATIENCE,
                PrefillScheduling.DEFAULT,
                Optional.empty());
    }

    /** Returns the same options with another pace. */
    public EngineOptions withPace(PrefillScheduling other) {
        return new EngineOptions(
                capacity,
                queueLimit,
                suppressedTokens,
                shardPatience,
                other,
                hostCache,
                eventPublisher);
    }

    /** Returns the same options without host cache and cache events. */
    EngineOptions withoutHostCache() {
        return new EngineOptions(
                capacity,
                queueLimit,
                suppressedTokens,
                shardPatience,
                pace,
                Optional.empty(),
                Optional.empty());
    }

    @Override
    public int[] suppressedTokens() {
        return suppressedTokens.clone();
    }

    /**
     * How prefill is scheduled beside decode.
     *
     * @param maxGap longest time that a stream should wait for its next token during prefill; a
     *     step may take longer if even a few prompt tokens do
     * @param mixes whether decode tokens and prefill chunks may share a batch; false if the phases
     *     have different thread counts, because the bits of a decode token depend on them
     */
    public record PrefillScheduling(Duration maxGap, boolean mixes) {
        /** Default pace. */
        public static final PrefillScheduling DEFAULT =
                new PrefillScheduling(Duration.ofMillis(150), true);

        /** Checks that the gap is positive. */
        public PrefillScheduling {
            if (maxGap.isNegative() || maxGap.isZero()) {
                throw new IllegalArgumentException("max gap must be positive, got " + maxGap);
            }
        }
    }

    /**
     * Context, parallel sequences and cache sizes of an engine.
     *
     * @param contextTokens most tokens of one sequence, prompt and output together
     * @param parallel most sequences decoded together
     * @param caches sizes that all sequences share: slots for at least one whole context, and state
     *     rows as {@link #rowsFor} returns
     */
    public record Capacity(int contextTokens, int parallel, KvCacheConfig caches) {
        /** Checks that the caches hold one whole context, and rows for all sequences. */
        public Capacity {
            if (contextTokens < 1 || parallel < 1) {
                throw new IllegalArgumentException(
                        "context and parallel must be positive, got "
                                + contextTokens
                                + ", "
                                + parallel);
            }
            if (caches.slots() < caches.mostSlots(contextTokens)) {
                throw new IllegalArgumentException(
                        "a pool of "
                                + caches.slots()
                                + " slots cannot hold one sequence of "
                                + contextTokens
                                + " tokens");
            }
            if (caches.stateRows() < rowsFor(parallel)) {
                throw new IllegalArgumentException(
                        caches.stateRows()
                                + " state rows are too few for "
                                + parallel
                                + " sequences");
            }
        }

        /** Returns the capacity for sequences that share a pool of slots, with their state rows. */
        public static Capacity of(int contextTokens, int parallel, int slots) {
            return new Capacity(
                    contextTokens, parallel, new KvCacheConfig(slots, rowsFor(parallel)));
        }

        /**
         * Returns the state rows for a number of sequences: two per running sequence, which
         * finished sequences keep until they are needed, plus row 0.
         */
        public static int rowsFor(int parallel) {
            return 1 + 2 * parallel;
        }
    }
}
