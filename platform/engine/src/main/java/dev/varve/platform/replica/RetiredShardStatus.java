package dev.varve.platform.replica;

import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.shard.RemoteProcessInfo;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Status of the shards of a failed or closed engine. They stay in the lists, so that the shards of
 * other replicas keep their index. Their counters are added to those of their replacements.
 */
final class RetiredShardStatus {
    private RetiredShardStatus() {}

    /** Returns the shards of a failed engine, which still hold their memory. */
    static List<ShardStatus> broken(List<ShardStatus> shards, String why) {
        return shards.stream()
                .map(shard -> lost(shard, shard.memory(), shard.peer(), why))
                .toList();
    }

    /** Returns the shards of a closed engine, without memory. */
    static List<ShardStatus> ofClosedEngine(List<ShardStatus> shards, String why) {
        ShardMemory none = new ShardMemory(0, 0, 0, 0);
        return shards.stream()
                .map(
                        shard ->
                                lost(
                                        shard,
                                        none,
                                        shard.peer().map(RetiredShardStatus::withoutProcess),
                                        why))
                .toList();
    }

    private static ShardStatus lost(
            ShardStatus shard, ShardMemory memory, Optional<RemoteProcessInfo> peer, String why) {
        return new ShardStatus(
                shard.device(),
                shard.range(),
                memory,
                lost(shard.health(), why),
                shard.work(),
                peer);
    }

    static ShardHealth lost(ShardHealth before, String why) {
        return new ShardHealth(
                ShardHealth.State.MISSING, Optional.of(why), before.restarts(), Optional.empty());
    }

    /**
     * Removes the process: one that was started separately may continue, but not for this server.
     */
    private static RemoteProcessInfo withoutProcess(RemoteProcessInfo peer) {
        return new RemoteProcessInfo(peer.own(), peer.address(), Optional.empty());
    }

    /** Returns the current shards with the counters of their predecessors added. */
    static List<ShardStatus> after(List<ShardStatus> now, List<ShardStatus> past) {
        if (now.size() != past.size()) {
            return now;
        }
        return IntStream.range(0, now.size())
                .mapToObj(i -> after(now.get(i), past.get(i)))
                .toList();
    }

    private static ShardStatus after(ShardStatus now, ShardStatus past) {
        ShardHealth health = now.health();
        return new ShardStatus(
                now.device(),
                now.range(),
                now.memory(),
                new ShardHealth(
                        health.state(),
                        health.reason(),
                        past.health().restarts() + health.restarts(),
                        health.loading(),
                        health.loss()),
                after(now.work(), past.work()),
                now.peer());
    }

    private static ShardStatus.ForwardTotals after(
            ShardStatus.ForwardTotals now, ShardStatus.ForwardTotals past) {
        return new ShardStatus.ForwardTotals(
                past.forwards() + now.forwards(),
                past.tokens() + now.tokens(),
                past.forwardMillis() + now.forwardMillis(),
                past.boundaryMillis() + now.boundaryMillis(),
                past.graphs().plus(now.graphs()),
                past.experts().plus(now.experts()),
                now.traffic()
                        .map(
                                traffic ->
                                        past.traffic()
                                                .map(before -> before.plus(traffic))
                                                .orElse(traffic)),
                now.recent());
    }
}
