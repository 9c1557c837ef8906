package dev.varve.platform.engine;

import dev.varve.platform.prefix.CacheEventPublisher;
import dev.varve.platform.sequence.CacheCapacity;
import dev.varve.platform.shard.SlotSpan;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Sizes of the engine.
 *
 * @param capacity how much it computes at once
 * @param queueLimit most requests that wait
 * @param suppressedTokens ids that are never chosen
 * @param shardPatience how long requests wait for a lost shard that makes no progress
 * @param pace how prompts are computed beside streams
 * @param hostCache where computed prompts are kept beside the devices; empty for nowhere
 * @param feed is told what is kept, and closed with the engine; empty for nobody
 */
public record EngineOptions(
        Capacity capacity,
        int queueLimit,
        int[] suppressedTokens,
        Duration shardPatience,
        Pace pace,
        Optional<HostCacheOptions> hostCache,
        Optional<CacheEventPublisher> feed) {
    /** How long requests wait for a lost shard where nobody asked for another time. */
    public static final Duration DEFAULT_SHARD_PATIENCE = Duration.ofSeconds(30);

    /** Checks that the queue and the patience are positive, and copies the tokens. */
    public EngineOptions {
        if (queueLimit < 1) {
            throw new IllegalArgumentException("queue limit must be positive, got " + queueLimit);
        }
        if (shardPatience.isNegative() || shardPatience.isZero()) {
            throw new IllegalArgumentException(
                    "patience with lost shards must be positive, got " + shardPatience);
        }
        suppressedTokens = suppressedTokens.clone();
        Objects.requireNonNull(hostCache);
        Objects.requireNonNull(feed);
    }

    /** Nobody is told what is kept. */
    public EngineOptions(
            Capacity capacity,
            int queueLimit,
            int[] suppressedTokens,
            Duration shardPatience,
            Pace pace,
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

    /** Nothing suppressed and the usual patience with lost shards. */
    public EngineOptions(Capacity capacity, int queueLimit) {
        this(
                capacity,
                queueLimit,
                new int[0],
                DEFAULT_SHARD_PATIENCE,
                Pace.DEFAULT,
                Optional.empty());
    }

    /** The same sizes with another patience. */
    public EngineOptions withShardPatience(Duration patience) {
        return new EngineOptions(
                capacity, queueLimit, suppressedTokens, patience, pace, hostCache, feed);
    }

    /** The same sizes with another pace. */
    public EngineOptions withPace(Pace other) {
        return new EngineOptions(
                capacity, queueLimit, suppressedTokens, shardPatience, other, hostCache, feed);
    }

    /** The same sizes with nothing kept beside the devices, and nobody who is told. */
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

    /** The same sizes with host memory beside the devices. */
    public EngineOptions withHostCache(HostCacheOptions memory) {
        return new EngineOptions(
                capacity,
                queueLimit,
                suppressedTokens,
                shardPatience,
                pace,
                Optional.of(memory),
                feed);
    }

    /** The same sizes with somebody who is told what is kept. */
    public EngineOptions withFeed(CacheEventPublisher other) {
        return new EngineOptions(
                capacity,
                queueLimit,
                suppressedTokens,
                shardPatience,
                pace,
                hostCache,
                Optional.of(other));
    }

    @Override
    public int[] suppressedTokens() {
        return suppressedTokens.clone();
    }

    /**
     * How prompts are computed beside streams.
     *
     * @param maxGap longest time that a stream should wait for its next token while prompts are
     *     computed; a step may take longer where even a few tokens of a prompt do
     * @param mixes whether tokens of decode and chunks of prompts may share a batch; not where
     *     their phases have different numbers of threads, on which the numbers of a token of decode
     *     depend
     */
    public record Pace(Duration maxGap, boolean mixes) {
        /** Where nobody asked for anything else. */
        public static final Pace DEFAULT = new Pace(Duration.ofMillis(150), true);

        /** Checks that the gap is positive. */
        public Pace {
            if (maxGap.isNegative() || maxGap.isZero()) {
                throw new IllegalArgumentException("max gap must be positive, got " + maxGap);
            }
        }
    }

    /**
     * How much an engine computes at once.
     *
     * @param contextTokens most tokens of one sequence, prompt and output together
     * @param parallel most sequences decoded together
     * @param caches sizes that all sequences share: at least one sequence's context of slots, and
     *     rows as {@link #rowsFor} says
     */
    public record Capacity(int contextTokens, int parallel, CacheCapacity caches) {
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

        /** Sequences that share a pool of slots, with the state rows that they need. */
        public static Capacity of(int contextTokens, int parallel, int slots) {
            return new Capacity(
                    contextTokens, parallel, new CacheCapacity(slots, rowsFor(parallel)));
        }

        /**
         * State rows for a number of sequences: two of each that runs, which finished ones keep
         * until the room is needed, and zero.
         */
        public static int rowsFor(int parallel) {
            return 1 + 2 * parallel;
        }

        /** Slots of a pool in which {@code parallel} sequences have their whole context. */
        public static int slotsFor(int contextTokens, int parallel) {
            return Math.multiplyExact(SlotSpan.roundUp(contextTokens), parallel);
        }
    }
}
