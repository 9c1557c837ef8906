package dev.varve.platform.http.metrics;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.shard.GraphCounts;
import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.ShardMemory;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Metrics of each shard, labelled with its index, device and layers. */
final class ShardMetrics {
    private static final double MILLIS_PER_SECOND = 1000;

    private final EngineStatus engine;
    private final List<ShardStatus> shards;

    private ShardMetrics(EngineStatus engine) {
        this.engine = engine;
        shards = engine.shards();
    }

    /**
     * Returns the metrics of all shards, none if there are no shards; connection metrics only for
     * shards in other processes.
     */
    static List<MetricSnapshot> of(EngineStatus engine) {
        List<ShardStatus> shards = engine.shards();
        if (shards.isEmpty()) {
            return List.of();
        }
        ShardMetrics metrics = new ShardMetrics(engine);
        List<MetricSnapshot> all = new ArrayList<>(metrics.computing());
        if (shards.stream().anyMatch(shard -> shard.work().traffic().isPresent())) {
            all.addAll(metrics.traffic());
        }
        return all;
    }

    private List<MetricSnapshot> computing() {
        return List.of(
                bytes(),
                deviceBytes(),
                graphs(
                        "varve_shard_graphs_recorded",
                        "Graphs that a shard recorded, by the phase of the batch.",
                        GraphCounts.PhaseCounts::recorded),
                graphs(
                        "varve_shard_graphs_reused",
                        "Batches that a shard computed with a graph of an earlier batch, by phase.",
                        GraphCounts.PhaseCounts::reused),
                each(
                                "varve_shard_expert_hits",
                                "Experts that a step needed and found in the cache of experts.",
                                shard -> shard.work().experts().hits())
                        .counter(),
                each(
                                "varve_shard_expert_misses",
                                "Experts that a step needed and that were read from the file.",
                                shard -> shard.work().experts().misses())
                        .counter(),
                each(
                                "varve_shard_expert_read_bytes",
                                "Bytes of experts that were read from the file.",
                                shard -> shard.work().experts().readBytes())
                        .counter(),
                up(),
                each(
                                "varve_shard_restarts",
                                "Number of times that a shard was lost and returned.",
                                shard -> shard.health().restarts())
                        .counter(),
                each(
                                "varve_shard_forwards",
                                "Batches that a shard computed.",
                                shard -> shard.work().forwards())
                        .counter(),
                each(
                                "varve_shard_tokens",
                                "Tokens in the batches of a shard.",
                                shard -> shard.work().tokens())
                        .counter(),
                each(
                                "varve_shard_forward_seconds",
                                "Time of a shard's batches, including transfers.",
                                shard -> shard.work().forwardMillis() / MILLIS_PER_SECOND)
                        .counter(),
                each(
                                "varve_shard_boundary_seconds",
                                "Part of a shard's batch time that moves activations.",
                                shard -> shard.work().boundaryMillis() / MILLIS_PER_SECOND)
                        .counter());
    }

    /** Returns the shards that should be up: not those of drained replicas. */
    private MetricSnapshot up() {
        MetricFamily family =
                new MetricFamily(
                        "varve_shard_up",
                        "1 if the shard can compute, 0 if it is missing or loading; absent if its"
                                + " replica was drained.");
        for (int shard = 0; shard < shards.size(); shard++) {
            if (!engine.isDrained(shard)) {
                family.add(labels(shard), shards.get(shard).isReady() ? 1 : 0);
            }
        }
        return family.gauge();
    }

    private MetricSnapshot bytes() {
        MetricFamily family =
                new MetricFamily("varve_shard_bytes", "Bytes that a shard holds, by kind.");
        addBytes(family, "weights", shard -> shard.memory().weights());
        addBytes(family, "mapped_weights", shard -> shard.memory().mappedWeights());
        addBytes(family, "kv", shard -> shard.memory().kv());
        addBytes(family, "compute", shard -> shard.memory().compute());
        return family.gauge();
    }

    /** Returns the bytes per device, summed over its shards, without mapped weights. */
    private MetricSnapshot deviceBytes() {
        Map<String, Long> devices = new LinkedHashMap<>();
        for (ShardStatus shard : shards) {
            ShardMemory memory = shard.memory();
            devices.merge(
                    shard.device(), memory.weights() + memory.kv() + memory.compute(), Long::sum);
        }
        MetricFamily family =
                new MetricFamily(
                        "varve_device_memory_bytes",
                        "Memory of a device that the model uses, in bytes.");
        devices.forEach((device, bytes) -> family.add(Labels.of("device", device), bytes));
        return family.gauge();
    }

    private MetricSnapshot graphs(
            String name, String help, ToDoubleFunction<GraphCounts.PhaseCounts> value) {
        MetricFamily family = new MetricFamily(name, help);
        for (int shard = 0; shard < shards.size(); shard++) {
            GraphCounts counts = shards.get(shard).work().graphs();
            family.add(
                    labels(shard).add("phase", "prefill"), value.applyAsDouble(counts.prefill()));
            family.add(labels(shard).add("phase", "decode"), value.applyAsDouble(counts.decode()));
        }
        return family.counter();
    }

    private void addBytes(MetricFamily family, String kind, ToDoubleFunction<ShardStatus> value) {
        for (int shard = 0; shard < shards.size(); shard++) {
            family.add(labels(shard).add("kind", kind), value.applyAsDouble(shards.get(shard)));
        }
    }

    private MetricFamily each(String name, String help, ToDoubleFunction<ShardStatus> value) {
        MetricFamily family = new MetricFamily(name, help);
        for (int shard = 0; shard < shards.size(); shard++) {
            family.add(labels(shard), value.applyAsDouble(shards.get(shard)));
        }
        return family;
    }

    private List<MetricSnapshot> traffic() {
        MetricFamily bytes =
                new MetricFamily(
                        "varve_shard_wire_bytes", "Bytes to and from a shard in another process.");
        MetricFamily payloads =
                new MetricFamily(
                        "varve_shard_wire",
                        "Path of large payloads to a shard: shared memory or the stream.");
        for (int shard = 0; shard < shards.size(); shard++) {
            Labels labels = labels(shard);
            shards.get(shard)
                    .work()
                    .traffic()
                    .ifPresent(
                            traffic -> {
                                bytes.add(labels.add("direction", "sent"), traffic.sentBytes());
                                bytes.add(
                                        labels.add("direction", "received"),
                                        traffic.receivedBytes());
                                payloads.add(labels.add("payloads", name(traffic)), 1);
                            });
        }
        return List.of(bytes.counter(), payloads.info());
    }

    private static String name(RemoteConnectionTraffic traffic) {
        return traffic.payloads().name().toLowerCase(Locale.ROOT);
    }

    private Labels labels(int index) {
        ShardStatus shard = shards.get(index);
        return Labels.of(
                "shard",
                Integer.toString(index),
                "device",
                shard.device(),
                "first_layer",
                Integer.toString(shard.range().begin()),
                "end_layer",
                Integer.toString(shard.range().end()));
    }
}
