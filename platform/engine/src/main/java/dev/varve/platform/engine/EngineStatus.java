package dev.varve.platform.engine;

import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.prefix.HandOffStatus;
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
 * Counters and gauges of an engine.
 *
 * @param load limits and current number of requests
 * @param slots usage of the KV slots
 * @param memory bytes of all shards
 * @param counts counters since the start
 * @param cache content and counters of the prefix cache
 * @param speculation counts of draft tokens
 * @param shards the shards in layer order, replica after replica; a shard keeps its index while its
 *     replica is down
 * @param draft draft model in a separate process
 * @param paging bounded KV residency; empty if it is off
 * @param outage wait for lost shards; empty while requests do not wait
 * @param replicas the replicas whose figures are summed; empty for a single engine
 */
public record EngineStatus(
        Load load,
        KvSlotUsage slots,
        ShardMemory memory,
        EngineCounters counts,
        PrefixCacheStatus cache,
        SpeculationCounts speculation,
        List<ShardStatus> shards,
        Optional<RemoteDraftStatus> draft,
        Optional<PagingStatus> paging,
        Optional<Outage> outage,
        List<ReplicaStatus> replicas) {
    /** Copies the lists. */
    public EngineStatus {
        shards = List.copyOf(shards);
        replicas = List.copyOf(replicas);
        Objects.requireNonNull(outage);
    }

    /** Creates the status of a single engine without an outage. */
    public EngineStatus(
            Load load,
            KvSlotUsage slots,
            ShardMemory memory,
            EngineCounters counts,
            PrefixCacheStatus cache,
            SpeculationCounts speculation,
            List<ShardStatus> shards,
            Optional<RemoteDraftStatus> draft,
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

    /** Creates the status of an engine without speculative decoding. */
    public EngineStatus(
            Load load,
            KvSlotUsage slots,
            ShardMemory memory,
            EngineCounters counts,
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
     * Limits and current number of requests of an engine.
     *
     * @param contextTokens most tokens of one sequence, prompt and output
     * @param parallel most sequences decoded together
     * @param waiting requests in the queue
     * @param running requests in prefill or decode
     */
    public record Load(int contextTokens, int parallel, int waiting, int running) {}

    /**
     * Counters since the engine started.
     *
     * @param tokens processed tokens
     * @param preemptions sequences that were preempted for lack of slots
     * @param replays sequences that were requeued after a lost shard, a failed step or a failed
     *     restore
     * @param steps forward passes
     * @param hostSeconds time of the engine's thread in steps, without the time in which shards
     *     computed
     * @param masks cost of grammar masks
     * @param failures steps and optional work that failed
     */
    public record EngineCounters(
            Tokens tokens,
            long preemptions,
            long replays,
            long steps,
            double hostSeconds,
            Masks masks,
            FailureCounter.Report failures) {
        /** Counters of a new engine. */
        public static final EngineCounters NONE = new EngineCounters(new Tokens(0, 0, 0), 0, 0, 0);

        /** Creates counters without grammar masks and failures. */
        public EngineCounters(Tokens tokens, long preemptions, long replays, long steps) {
            this(
                    tokens,
                    preemptions,
                    replays,
                    steps,
                    0,
                    new Masks(0, 0),
                    FailureCounter.Report.NONE);
        }
    }

    /**
     * Tokens that were chosen again with a mask, since the constraint did not allow the first
     * choice.
     *
     * @param count number of these tokens
     * @param seconds time to compute the masks
     */
    public record Masks(long count, double seconds) {}

    /**
     * Tokens that an engine processed.
     *
     * @param prompt prompt tokens of started requests
     * @param cachedPrompt of these, tokens that needed no prefill
     * @param generated tokens generated
     */
    public record Tokens(long prompt, long cachedPrompt, long generated) {}

    /**
     * A wait for lost shards.
     *
     * @param waited how long requests have waited
     * @param left time until requests are rejected, unless a shard makes progress
     * @param rejectsRequests whether that time is over: queued requests have failed, new ones are
     *     rejected
     */
    public record Outage(Duration waited, Duration left, boolean rejectsRequests) {}

    /** Returns whether requests can be computed now: one replica at least has all shards. */
    public boolean canCompute() {
        return replicas.isEmpty()
                ? missingShards().isEmpty()
                : replicas.stream().anyMatch(ReplicaStatus::isReady);
    }

    /** Returns the number of shards per replica, or of the only engine; at least 1. */
    public int shardsOfReplica() {
        return Math.max(1, shards.size() / Math.max(1, replicas.size()));
    }

    /**
     * Returns whether a shard is one of a replica that an operator drains or has drained.
     *
     * @param shard its index in {@link #shards}
     */
    public boolean isDrained(int shard) {
        int replica = shard / shardsOfReplica();
        return replica < replicas.size() && replicas.get(replica).isDrained();
    }

    /** Returns the shards that cannot compute at the moment. */
    public List<ShardStatus> missingShards() {
        return shards.stream().filter(shard -> !shard.isReady()).toList();
    }

    /**
     * Figures of the engine's thread. Published after every step, so they must be cheap to create.
     */
    record SchedulerStats(
            Load load,
            KvSlotUsage slots,
            EngineCounters counts,
            PrefixCacheStatus cache,
            SpeculationCounts speculation,
            Optional<PagingStatus> paging) {
        EngineStatus with(
                ShardMemory memory,
                List<ShardStatus> shards,
                Optional<RemoteDraftStatus> draft,
                Optional<ArchiveStatus> disk,
                Optional<SharedArchiveStatus> shared,
                Optional<HandOffStatus> handOff,
                Optional<Outage> outage) {
            return new EngineStatus(
                    load,
                    slots,
                    memory,
                    counts,
                    cache.with(disk, shared, handOff),
                    speculation,
                    shards,
                    draft,
                    paging,
                    outage,
                    List.of());
        }
    }
}
