package dev.varve.platform.engine;

import dev.varve.platform.draft.DraftStatus;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Counters and gauges of the engine.
 *
 * @param load what it may do at once and does
 * @param slots who holds the slots of the KV pool
 * @param memory bytes of all shards
 * @param counts what was done so far
 * @param cache what the prefix cache holds and did
 * @param speculation what became of guesses
 * @param shards the shards in layer order, those of one replica behind those of another; each keeps
 *     its place while its replica is down
 * @param draft what guesses in a process of its own
 * @param paging how the attention cache is bounded; empty where it is not
 * @param outage that requests wait for lost shards; empty while they do not
 * @param replicas the engines that these figures are the sum of; empty for a single one
 */
public record EngineStatus(
        Load load,
        KvSlotUsage slots,
        ShardMemory memory,
        Counts counts,
        PrefixCacheStatus cache,
        SpeculationCounts speculation,
        List<ShardStatus> shards,
        Optional<DraftStatus> draft,
        Optional<PagingStatus> paging,
        Optional<Outage> outage,
        List<ReplicaStatus> replicas) {
    /** Copies the lists. */
    public EngineStatus {
        shards = List.copyOf(shards);
        replicas = List.copyOf(replicas);
        Objects.requireNonNull(outage);
    }

    /** The status of a single engine that waits for no shard. */
    public EngineStatus(
            Load load,
            KvSlotUsage slots,
            ShardMemory memory,
            Counts counts,
            PrefixCacheStatus cache,
            SpeculationCounts speculation,
            List<ShardStatus> shards,
            Optional<DraftStatus> draft,
            Optional<PagingStatus> paging) {
        this(
                load,
                slots,
                memory,
                counts,
                cache,
                speculation,
                shards,
                draft,
                paging,
                Optional.empty(),
                List.of());
    }

    /** The status of an engine that guesses nothing. */
    public EngineStatus(
            Load load,
            KvSlotUsage slots,
            ShardMemory memory,
            Counts counts,
            PrefixCacheStatus cache,
            List<ShardStatus> shards) {
        this(
                load,
                slots,
                memory,
                counts,
                cache,
                SpeculationCounts.NONE,
                shards,
                Optional.empty(),
                Optional.empty());
    }

    /**
     * What the engine may do at once, and does.
     *
     * @param contextTokens most tokens of one sequence, prompt and output
     * @param parallel most sequences decoded together
     * @param waiting requests in the queue
     * @param running requests in prefill or decode
     */
    public record Load(int contextTokens, int parallel, int waiting, int running) {}

    /**
     * What the engine did so far.
     *
     * @param tokens tokens that went through it
     * @param preemptions sequences that were put back to the queue for want of room
     * @param replays sequences that were computed again because a shard was lost
     * @param steps forward passes
     * @param masks what the form of answers cost
     * @param failures steps and optional work that failed
     */
    public record Counts(
            Tokens tokens,
            long preemptions,
            long replays,
            long steps,
            Masks masks,
            FailureCounter.Report failures) {
        /** Nothing was done yet. */
        public static final Counts NONE = new Counts(new Tokens(0, 0, 0), 0, 0, 0);

        /** Counts of an engine whose answers have no form. */
        public Counts(Tokens tokens, long preemptions, long replays, long steps) {
            this(tokens, preemptions, replays, steps, new Masks(0, 0), FailureCounter.Report.NONE);
        }
    }

    /**
     * Tokens that were chosen anew, since the first choice did not fit the answer's form.
     *
     * @param count how many
     * @param seconds time to find the tokens that may come
     */
    public record Masks(long count, double seconds) {}

    /**
     * Tokens that went through an engine.
     *
     * @param prompt prompt tokens taken in
     * @param cachedPrompt of these, tokens that needed no prefill
     * @param generated tokens generated
     */
    public record Tokens(long prompt, long cachedPrompt, long generated) {}

    /**
     * That requests wait for lost shards.
     *
     * @param waited for how long
     * @param left how long they still will, unless a shard comes closer to its return
     * @param turnsAway whether that is over: those that waited have failed, new ones are refused
     */
    public record Outage(Duration waited, Duration left, boolean turnsAway) {}

    /** Whether requests are computed now: all shards are there, those of one replica at least. */
    public boolean isAble() {
        return replicas.isEmpty()
                ? missingShards().isEmpty()
                : replicas.stream().anyMatch(ReplicaStatus::isReady);
    }

    /** Shards of one replica, or of the only engine; 1 where there are none. */
    public int shardsOfReplica() {
        return Math.max(1, shards.size() / Math.max(1, replicas.size()));
    }

    /** Shards that cannot compute at the moment. */
    public List<ShardStatus> missingShards() {
        return shards.stream().filter(shard -> !shard.isReady()).toList();
    }

    /** What the engine itself knows; told after every step, so that it must be cheap to make. */
    record Figures(
            Load load,
            KvSlotUsage slots,
            Counts counts,
            PrefixCacheStatus cache,
            SpeculationCounts speculation,
            Optional<PagingStatus> paging) {
        EngineStatus with(
                ShardMemory memory,
                List<ShardStatus> shards,
                Optional<DraftStatus> draft,
                Optional<ArchiveStatus> disk,
                Optional<SharedArchiveStatus> shared,
                Optional<Outage> outage) {
            return new EngineStatus(
                    load,
                    slots,
                    memory,
                    counts,
                    cache.with(disk, shared),
                    speculation,
                    shards,
                    draft,
                    paging,
                    outage,
                    List.of());
        }
    }
}
