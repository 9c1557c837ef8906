package dev.varve.platform.http;

import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.shard.ShardTraffic;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Gauges and counters of each shard, labelled with its place, device and layers. */
final class ShardMetrics {
    private static final double MILLIS_PER_SECOND = 1000;

    private final List<ShardStatus> shards;

    ShardMetrics(List<ShardStatus> shards) {
        this.shards = shards;
    }

    void write(StringBuilder out) {
        if (shards.isEmpty()) {
            return;
        }
        Metrics.header(out, "varve_shard_bytes", "gauge", "Bytes that a shard holds, by kind.");
        bytes(out, "weights", shard -> shard.memory().weights());
        bytes(out, "mapped_weights", shard -> shard.memory().mappedWeights());
        bytes(out, "kv", shard -> shard.memory().kv());
        bytes(out, "compute", shard -> shard.memory().compute());
        counts(
                out,
                "varve_shard_up",
                "gauge",
                "1 if the shard can compute, 0 if it is missing or loads.",
                shard -> shard.isReady() ? 1 : 0);
        counts(
                out,
                "varve_shard_restarts_total",
                "counter",
                "How often a shard was lost and came back.",
                shard -> shard.health().restarts());
        counts(
                out,
                "varve_shard_forwards_total",
                "counter",
                "Batches that a shard computed.",
                shard -> shard.work().forwards());
        counts(
                out,
                "varve_shard_tokens_total",
                "counter",
                "Tokens in the batches of a shard.",
                shard -> shard.work().tokens());
        seconds(
                out,
                "varve_shard_forward_seconds_total",
                "Time of a shard's batches, the way there and back included.",
                shard -> shard.work().forwardMillis());
        seconds(
                out,
                "varve_shard_boundary_seconds_total",
                "Of that, time to move activations in and out.",
                shard -> shard.work().boundaryMillis());
        traffic(out);
    }

    private void bytes(StringBuilder out, String kind, ToLongFunction<ShardStatus> value) {
        for (int i = 0; i < shards.size(); i++) {
            sample(out, "varve_shard_bytes", i, kindLabel("kind", kind))
                    .append(value.applyAsLong(shards.get(i)))
                    .append('\n');
        }
    }

    private void counts(
            StringBuilder out,
            String name,
            String type,
            String help,
            ToLongFunction<ShardStatus> value) {
        Metrics.header(out, name, type, help);
        for (int i = 0; i < shards.size(); i++) {
            sample(out, name, i, "").append(value.applyAsLong(shards.get(i))).append('\n');
        }
    }

    private void seconds(
            StringBuilder out, String name, String help, ToDoubleFunction<ShardStatus> millis) {
        Metrics.header(out, name, "counter", help);
        for (int i = 0; i < shards.size(); i++) {
            sample(out, name, i, "")
                    .append(millis.applyAsDouble(shards.get(i)) / MILLIS_PER_SECOND)
                    .append('\n');
        }
    }

    /** Only of shards in other processes. */
    private void traffic(StringBuilder out) {
        if (shards.stream().allMatch(shard -> shard.work().traffic().isEmpty())) {
            return;
        }
        Metrics.header(
                out,
                "varve_shard_wire_bytes_total",
                "counter",
                "Bytes to and from a shard in another process.");
        each(
                (i, traffic) -> {
                    sample(out, "varve_shard_wire_bytes_total", i, kindLabel("direction", "sent"))
                            .append(traffic.sentBytes())
                            .append('\n');
                    sample(
                                    out,
                                    "varve_shard_wire_bytes_total",
                                    i,
                                    kindLabel("direction", "received"))
                            .append(traffic.receivedBytes())
                            .append('\n');
                });
        Metrics.header(
                out,
                "varve_shard_wire_info",
                "gauge",
                "How large payloads travel to a shard: in shared memory or in the stream.");
        each(
                (i, traffic) ->
                        sample(
                                        out,
                                        "varve_shard_wire_info",
                                        i,
                                        kindLabel(
                                                "payloads", ShardReport.lower(traffic.payloads())))
                                .append("1\n"));
    }

    private interface TrafficOfShard {
        void accept(int shard, ShardTraffic traffic);
    }

    private void each(TrafficOfShard action) {
        for (int i = 0; i < shards.size(); i++) {
            int shard = i;
            shards.get(i).work().traffic().ifPresent(traffic -> action.accept(shard, traffic));
        }
    }

    private StringBuilder sample(StringBuilder out, String name, int index, String more) {
        ShardStatus shard = shards.get(index);
        return out.append(name)
                .append("{shard=\"")
                .append(index)
                .append("\",device=\"")
                .append(escape(shard.device()))
                .append("\",first_layer=\"")
                .append(shard.range().begin())
                .append("\",end_layer=\"")
                .append(shard.range().end())
                .append('"')
                .append(more)
                .append("} ");
    }

    private static String kindLabel(String name, String value) {
        return "," + name + "=\"" + value + "\"";
    }

    /** An address in the device's name may hold what label values must not. */
    private static String escape(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
