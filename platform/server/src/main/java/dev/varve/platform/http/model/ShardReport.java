package dev.varve.platform.http.model;

import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.SettingNames;
import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Locale;

/** The shards of a model, for {@code /props} and {@code /health}. */
final class ShardReport {
    private ShardReport() {}

    /** Returns all shards in layer order. Times in milliseconds, layers as {@code [first, end)}. */
    static ArrayNode shards(List<ShardStatus> shards, SettingNames names) {
        ArrayNode list = Json.MAPPER.createArrayNode();
        shards.forEach(shard -> describe(shard, names, list.addObject()));
        return list;
    }

    static void describe(ShardStatus shard, SettingNames names, ObjectNode out) {
        ShardMemory memory = shard.memory();
        out.put("device", shard.device())
                .put("first_layer", shard.range().begin())
                .put("end_layer", shard.range().end())
                .put("weight_bytes", memory.weights())
                .put("mapped_weight_bytes", memory.mappedWeights())
                .put("kv_bytes", memory.kv())
                .put("compute_bytes", memory.compute())
                .put("state", lower(shard.health().state()))
                .put("restarts", shard.health().restarts())
                .put("forwards", shard.work().forwards())
                .put("tokens", shard.work().tokens())
                .put("forward_ms", shard.work().forwardMillis())
                .put("boundary_ms", shard.work().boundaryMillis())
                .put("decode_graphs_recorded", shard.work().graphs().decode().recorded())
                .put("decode_graphs_reused", shard.work().graphs().decode().reused())
                .put("expert_hits", shard.work().experts().hits())
                .put("expert_misses", shard.work().experts().misses())
                .put("expert_read_bytes", shard.work().experts().readBytes());
        if (!shard.work().experts().isEmpty()) {
            out.put("expert_hit_rate", Json.thousandths(shard.work().experts().hitRate()));
        }
        shard.health().reason().ifPresent(reason -> out.put("reason", names.render(reason)));
        shard.work().traffic().ifPresent(traffic -> describe(traffic, out));
    }

    private static void describe(RemoteConnectionTraffic traffic, ObjectNode out) {
        out.put("sent_bytes", traffic.sentBytes())
                .put("received_bytes", traffic.receivedBytes())
                .put("payloads", lower(traffic.payloads()));
    }

    /** Returns the status of a draft model in a process of its own; times in milliseconds. */
    static ObjectNode draft(RemoteDraftStatus draft, SettingNames names) {
        ShardHealth health = draft.health();
        ObjectNode out =
                Json.object()
                        .put("device", draft.device())
                        .put("bytes", draft.bytes())
                        .put("state", lower(health.state()))
                        .put("restarts", health.restarts())
                        .put("answers", draft.responses().count())
                        .put("answer_ms", draft.responses().millis())
                        .put("late", draft.responses().late());
        health.reason().ifPresent(reason -> out.put("reason", names.render(reason)));
        describe(draft.traffic(), out);
        return out;
    }

    /** Returns the body of {@code /health} for a server that lacks shards. */
    static ObjectNode degraded(List<ShardStatus> missing, SettingNames names) {
        ObjectNode body = Json.object().put("status", "degraded");
        ArrayNode list = body.putArray("missing_shards");
        for (ShardStatus shard : missing) {
            ObjectNode out = list.addObject().put("device", shard.device());
            out.putArray("layers").add(shard.range().begin()).add(shard.range().end());
            out.put("state", lower(shard.health().state()))
                    .put("reason", names.render(shard.health().reason().orElse("")))
                    .put("restarts", shard.health().restarts());
            putLoading(shard.health(), out);
        }
        return body;
    }

    /** Adds the progress of a shard that loads. */
    static void putLoading(ShardHealth health, ObjectNode out) {
        health.loading()
                .ifPresent(
                        loading ->
                                out.put("loaded_bytes", loading.loadedBytes())
                                        .put("total_bytes", loading.totalBytes()));
    }

    static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
