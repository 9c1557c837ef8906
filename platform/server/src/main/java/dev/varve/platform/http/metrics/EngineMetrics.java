package dev.varve.platform.http.metrics;

import static dev.varve.platform.http.metrics.MetricFamily.counter;
import static dev.varve.platform.http.metrics.MetricFamily.gauge;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.KvSlotSpan;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.List;

/** Metrics of the engine, from one snapshot of its status. */
final class EngineMetrics {
    private EngineMetrics() {}

    static List<MetricSnapshot> of(EngineStatus engine) {
        List<MetricSnapshot> metrics = new ArrayList<>(gauges(engine));
        metrics.addAll(counters(engine));
        metrics.addAll(SpeculationMetrics.of(engine.speculation()));
        engine.draft().ifPresent(draft -> metrics.addAll(DraftProcessMetrics.of(draft)));
        engine.paging().ifPresent(paging -> metrics.addAll(PagingMetrics.of(paging)));
        metrics.addAll(CacheMetrics.of(engine.cache()));
        metrics.addAll(ShardMetrics.of(engine));
        metrics.addAll(ReplicaMetrics.of(engine.replicas()));
        return metrics;
    }

    private static List<MetricSnapshot> gauges(EngineStatus engine) {
        return List.of(
                gauge("varve_requests_waiting", "Requests in the queue.", engine.load().waiting()),
                gauge(
                        "varve_requests_running",
                        "Requests in prefill or decode.",
                        engine.load().running()),
                gauge(
                        "varve_kv_cache_usage_ratio",
                        "Share of the KV pool that running sequences hold.",
                        kvUsage(engine)),
                new MetricFamily("varve_cache_config", "Blocks of the KV pool.")
                        .add(blocks(engine), 1)
                        .info(),
                gauge(
                        "varve_kv_cache_resident_tokens",
                        "KV slots that finished sequences hold until they are evicted.",
                        engine.slots().resident()),
                gauge("varve_weight_bytes", "Bytes of weights.", engine.memory().allWeights()),
                gauge(
                        "varve_kv_bytes",
                        "Bytes of KV pools and recurrent states.",
                        engine.memory().kv()),
                gauge(
                        "varve_compute_bytes",
                        "Bytes of compute buffers.",
                        engine.memory().compute()));
    }

    private static List<MetricSnapshot> counters(EngineStatus engine) {
        return List.of(
                counter(
                        "varve_prompt_tokens",
                        "Prompt tokens of admitted requests.",
                        engine.counts().tokens().prompt()),
                counter(
                        "varve_cached_prompt_tokens",
                        "Cached tokens of admitted requests.",
                        engine.counts().tokens().cachedPrompt()),
                counter(
                        "varve_generation_tokens",
                        "Tokens generated.",
                        engine.counts().tokens().generated()),
                counter(
                        "varve_preemptions",
                        "Sequences that were preempted for lack of room.",
                        engine.counts().preemptions()),
                counter(
                        "varve_replays",
                        "Sequences computed again because a shard was lost.",
                        engine.counts().replays()),
                counter(
                        "varve_step_failures",
                        "Steps that failed; their requests were retried one by one.",
                        engine.counts().failures().steps()),
                counter(
                        "varve_optional_failures",
                        "Lookups, copies, drafts and page selections that failed, each of them a"
                                + " miss for one request.",
                        engine.counts().failures().optional()),
                counter("varve_steps", "Forward passes.", engine.counts().steps()),
                counter(
                        "varve_step_host_seconds",
                        "Time of the engine's thread in steps, without the time in which shards"
                                + " computed.",
                        engine.counts().hostSeconds()),
                counter(
                        "varve_token_masks",
                        "Tokens of responses with structured output whose first choice was not"
                                + " allowed, so that a mask was computed.",
                        engine.counts().masks().count()),
                counter(
                        "varve_token_mask_seconds",
                        "Time to compute token masks.",
                        engine.counts().masks().seconds()));
    }

    /** Returns the share of the KV pool that running sequences hold, 0 to 1. */
    static double kvUsage(EngineStatus engine) {
        KvSlotUsage slots = engine.slots();
        return slots.total() == 0 ? 0 : (double) slots.running() / slots.total();
    }

    /** Returns the size of the KV pool in blocks, as labels that gateways read. */
    static Labels blocks(EngineStatus engine) {
        return Labels.of(
                "block_size",
                Integer.toString(KvSlotSpan.BLOCK),
                "num_gpu_blocks",
                Long.toString(engine.slots().total() / KvSlotSpan.BLOCK));
    }
}
