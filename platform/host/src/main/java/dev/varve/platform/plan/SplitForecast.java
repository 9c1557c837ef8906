package dev.varve.platform.plan;

import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.HostCachePlan;
import dev.varve.platform.runtime.PoolPlan;
import dev.varve.platform.runtime.SplitMemoryPlan;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Forecast of a split's memory and speed: of one request at a time, with a short context and the
 * most likely token each time, without draft tokens.
 *
 * @param parts in layer order
 * @param reasons why the layers are placed so, for messages
 * @param hostCache host memory for cached prefixes, beside the parts
 * @param pool how the attention cache of sequences is bounded
 * @param replicas number of engines with such parts
 * @param serverMillis the server's own time for a token in decode: it chooses the step's requests,
 *     hands the step over to the shards, and the token to the thread that sends it
 * @param reads reads of experts, which are not part of the times of parts; empty if all weights are
 *     in memory
 */
public record SplitForecast(
        List<Part> parts,
        List<String> reasons,
        HostCachePlan hostCache,
        PoolPlan pool,
        int replicas,
        double serverMillis,
        Optional<ExpertReadForecast> reads) {
    /**
     * One shard.
     *
     * @param memory its memory plan, with device and layers
     * @param time time of a step in this shard alone
     * @param measurement of its device, from which the time follows
     * @param pool name of the processor that the shard computes on; shards with the same name take
     *     turns
     */
    public record Part(
            SplitMemoryPlan.Part memory, StepTime time, Measurement measurement, String pool) {
        /** Returns the tokens per second of decode if the model were this shard alone. */
        public double decodeTokensPerSecond() {
            return 1000 / time.decodeMillis();
        }

        /** Returns the tokens per second of prefill if the model were this shard alone. */
        public double prefillTokensPerSecond() {
            return 1000 * StepTime.CHUNK / time.prefillMillis();
        }
    }

    /** Copies the lists. */
    public SplitForecast {
        parts = List.copyOf(parts);
        reasons = List.copyOf(reasons);
        Objects.requireNonNull(hostCache);
        Objects.requireNonNull(pool);
        Objects.requireNonNull(reads);
    }

    /** Returns a copy with more reasons before the others. */
    public SplitForecast because(List<String> more) {
        return new SplitForecast(
                parts, concat(more, reasons), hostCache, pool, replicas, serverMillis, reads);
    }

    /** Returns a copy that reads experts from the file. */
    public SplitForecast reading(ExpertReadForecast experts) {
        return new SplitForecast(
                parts, reasons, hostCache, pool, replicas, serverMillis, Optional.of(experts));
    }

    /** Returns a copy with the server's own time for a token. */
    public SplitForecast serving(double tokenMillis) {
        return new SplitForecast(parts, reasons, hostCache, pool, replicas, tokenMillis, reads);
    }

    private static List<String> concat(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** Returns which device computes which layers. */
    public Placement placement() {
        return new Placement(parts.stream().map(part -> part.memory().where()).toList());
    }

    /** Returns the memory plan. */
    public SplitMemoryPlan memory() {
        return new SplitMemoryPlan(
                parts.stream().map(Part::memory).toList(), hostCache, pool, replicas);
    }

    /**
     * Returns the tokens per second of decode: a token passes through all shards, one after the
     * other, and then through the server.
     */
    public double decodeTokensPerSecond() {
        return 1000 / (shardMillis() + readTime().decodeMillis() + serverMillis);
    }

    private double shardMillis() {
        return parts.stream().mapToDouble(part -> part.time().decodeMillis()).sum();
    }

    private StepTime readTime() {
        return reads.map(ExpertReadForecast::time).orElse(StepTime.ZERO);
    }

    /**
     * Returns the tokens per second of prefill: chunks of a long prompt overlap in shards that
     * compute on different processors.
     */
    public double prefillTokensPerSecond() {
        double slowest =
                parts.stream()
                        .map(Part::pool)
                        .distinct()
                        .mapToDouble(
                                pool ->
                                        parts.stream()
                                                .filter(part -> part.pool().equals(pool))
                                                .mapToDouble(part -> part.time().prefillMillis())
                                                .sum())
                        .max()
                        .orElseThrow();
        return 1000 * StepTime.CHUNK / (slowest + readTime().prefillMillis());
    }
}
