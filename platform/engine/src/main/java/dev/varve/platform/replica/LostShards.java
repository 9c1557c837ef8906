package dev.varve.platform.replica;

import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.shard.RemoteShardProcess;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Shards of an engine that is broken or gone. They stay in the lists, so that those of other
 * replicas keep their numbers, and what they did counts on in the shards that take their place.
 */
final class LostShards {
    private LostShards() {}

    /** Of an engine that computes nothing any more, and still holds what it held. */
    static List<ShardStatus> broken(List<ShardStatus> shards, String why) {
        return shards.stream()
                .map(shard -> lost(shard, shard.memory(), shard.peer(), why))
                .toList();
    }

    /** Of an engine that is closed. */
    static List<ShardStatus> gone(List<ShardStatus> shards, String why) {
        ShardMemory none = new ShardMemory(0, 0, 0, 0);
        return shards.stream()
                .map(shard -> lost(shard, none, shard.peer().map(LostShards::withoutProcess), why))
                .toList();
    }

    private static ShardStatus lost(
            ShardStatus shard, ShardMemory memory, Optional<RemoteShardProcess> peer, String why) {
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

    /** One that others started may go on, but not for this server. */
    private static RemoteShardProcess withoutProcess(RemoteShardProcess peer) {
        return new RemoteShardProcess(peer.own(), peer.address(), Optional.empty());
    }

    /** Shards that are there, with what those before them did. */
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

    private static ShardStatus.BatchEntry after(
            ShardStatus.BatchEntry now, ShardStatus.BatchEntry past) {
        return new ShardStatus.BatchEntry(
                past.forwards() + now.forwards(),
                past.tokens() + now.tokens(),
                past.forwardMillis() + now.forwardMillis(),
                past.boundaryMillis() + now.boundaryMillis(),
                now.traffic()
                        .map(
                                traffic ->
                                        past.traffic()
                                                .map(before -> before.plus(traffic))
                                                .orElse(traffic)),
                now.recent());
    }
}
