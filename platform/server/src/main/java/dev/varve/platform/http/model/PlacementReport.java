package dev.varve.platform.http.model;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.SettingNames;
import dev.varve.platform.shard.RemoteProcessInfo;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The placement of a model's layers and the state of its shards, for {@code /status}. */
final class PlacementReport {
    private static final double MILLIS_PER_SECOND = 1000;

    private final EngineStatus status;
    private final MemoryPlacement placement;
    private final SettingNames names;

    private PlacementReport(EngineStatus status, MemoryPlacement placement, SettingNames names) {
        this.status = status;
        this.placement = placement;
        this.names = names;
    }

    static ObjectNode of(EngineStatus status, MemoryPlacement placement, SettingNames names) {
        return new PlacementReport(status, placement, names).report();
    }

    private ObjectNode report() {
        List<ShardStatus> shards = status.shards();
        ObjectNode report =
                Json.object().put("layers", shards.isEmpty() ? 0 : shards.getLast().range().end());
        ArrayNode list = report.putArray("shards");
        for (int i = 0; i < shards.size(); i++) {
            ObjectNode out = list.addObject();
            if (!status.replicas().isEmpty()) {
                out.put("replica", i / status.shardsOfReplica());
            }
            describe(shards.get(i), planned(i), out);
        }
        ArrayNode memories = report.putArray("memories");
        placement.memories().forEach(memory -> describe(memory, memories.addObject()));
        status.outage().ifPresent(outage -> describe(outage, report.putObject("outage")));
        return report;
    }

    /** Returns the plan of a shard; all replicas have the same plan. */
    private Optional<MemoryPlacement.ShardStateMemory> planned(int shard) {
        int place = shard % status.shardsOfReplica();
        return place < placement.shards().size()
                ? Optional.of(placement.shards().get(place))
                : Optional.empty();
    }

    private void describe(
            ShardStatus shard, Optional<MemoryPlacement.ShardStateMemory> planned, ObjectNode out) {
        ShardReport.describe(shard, names, out);
        planned.ifPresent(each -> out.put("memory", each.memory()));
        out.put("state_bytes", stateBytes(shard.memory(), planned))
                .put("host_page_bytes", shard.memory().hostPages());
        ShardStatus.ForwardTotals work = shard.work();
        out.put("mean_forward_ms", mean(work.forwardMillis(), work.forwards()))
                .put("mean_boundary_ms", mean(work.boundaryMillis(), work.forwards()))
                .put("recent_decode_ms", work.recent().decodeMillis())
                .put("recent_prefill_ms_per_token", work.recent().prefillMillisPerToken());
        describe(shard.peer(), out.putObject("process"));
        shard.health().loss().ifPresent(loss -> describe(loss, out.putObject("last_loss")));
        ShardReport.putLoading(shard.health(), out);
    }

    private static double mean(double sum, long count) {
        return count == 0 ? 0 : sum / count;
    }

    /**
     * Returns the planned bytes of the state caches; a shard reports only the sum of its caches.
     */
    private static long stateBytes(
            ShardMemory memory, Optional<MemoryPlacement.ShardStateMemory> planned) {
        return planned.map(each -> Math.min(each.stateBytes(), memory.kv())).orElse(0L);
    }

    private static void describe(Optional<RemoteProcessInfo> peer, ObjectNode out) {
        out.put("kind", peer.map(each -> each.own() ? "own" : "listening").orElse("local"));
        peer.flatMap(RemoteProcessInfo::address).ifPresent(address -> out.put("address", address));
        peer.map(RemoteProcessInfo::pid)
                .orElse(Optional.of(ProcessHandle.current().pid()))
                .ifPresent(pid -> out.put("pid", pid));
    }

    private boolean isIn(MemoryPlacement.MemoryDomain memory, int shard) {
        return planned(shard).filter(each -> each.memory().equals(memory.name())).isPresent();
    }

    /** Returns the bytes of a shard's weights in a memory. */
    private long weightBytes(MemoryPlacement.MemoryDomain memory, int shard) {
        double share = planned(shard).map(each -> each.shareIn(memory.name())).orElse(0.0);
        return Math.round(share * status.shards().get(shard).memory().allWeights());
    }

    private void describe(ShardHealth.Loss loss, ObjectNode out) {
        out.put("reason", names.render(loss.reason())).put("ago_seconds", seconds(loss.ago()));
        loss.outage().ifPresent(outage -> out.put("outage_seconds", seconds(outage)));
    }

    private static void describe(EngineStatus.Outage outage, ObjectNode out) {
        out.put("waited_seconds", seconds(outage.waited()))
                .put("left_seconds", seconds(outage.left()))
                .put("turns_away", outage.rejectsRequests());
    }

    private static double seconds(Duration time) {
        return time.toMillis() / MILLIS_PER_SECOND;
    }

    /** Writes the use of a memory by all shards of all replicas. */
    private void describe(MemoryPlacement.MemoryDomain memory, ObjectNode out) {
        int[] shards =
                IntStream.range(0, status.shards().size()).filter(i -> isIn(memory, i)).toArray();
        long weights = 0;
        long kv = 0;
        long states = 0;
        long compute = 0;
        for (int i : shards) {
            ShardMemory used = status.shards().get(i).memory();
            long state = stateBytes(used, planned(i));
            kv += used.kv() - state;
            states += state;
            compute += used.compute();
        }
        for (int i = 0; i < status.shards().size(); i++) {
            weights += weightBytes(memory, i);
        }
        boolean host = memory.name().equals(MemoryPlacement.MemoryDomain.HOST);
        long prompts = host ? status.cache().host().usedBytes() : 0;
        long pages = host ? status.memory().hostPages() : 0;
        out.put("name", memory.name())
                .put("limit_bytes", memory.limitBytes())
                .put("total_bytes", memory.totalBytes())
                .put("weight_bytes", weights)
                .put("kv_bytes", kv)
                .put("state_bytes", states)
                .put("compute_bytes", compute)
                .put("prompt_cache_bytes", prompts)
                .put("page_bytes", pages)
                .put("used_bytes", weights + kv + states + compute + prompts + pages);
        ArrayNode indexes = out.putArray("shards");
        IntStream.of(shards).forEach(indexes::add);
    }
}
