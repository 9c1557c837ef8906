package dev.varve.platform.replica;

import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.shard.ShardHealth;

import java.util.stream.Stream;

/** Sums the status of draft models in separate processes, one per replica. */
final class DraftStatusSum {
    private DraftStatusSum() {}

    /** Returns the sum of two, which is ready if both are; the device is that of the first. */
    static RemoteDraftStatus of(RemoteDraftStatus a, RemoteDraftStatus b) {
        return sum(a, b, both(a.health(), b.health()));
    }

    /** Returns the status of a draft model with the counters of an earlier one added. */
    static RemoteDraftStatus after(RemoteDraftStatus now, RemoteDraftStatus past) {
        return sum(now, past, with(now.health(), now.health().restarts(), past.health()));
    }

    /** Returns the status of a draft model that has ended: its counters, and no memory. */
    static RemoteDraftStatus ofEnded(RemoteDraftStatus draft, String why) {
        return new RemoteDraftStatus(
                draft.device(),
                0,
                RetiredShardStatus.lost(draft.health(), why),
                draft.responses(),
                draft.traffic());
    }

    private static RemoteDraftStatus sum(
            RemoteDraftStatus a, RemoteDraftStatus b, ShardHealth health) {
        return new RemoteDraftStatus(
                a.device(),
                a.bytes() + b.bytes(),
                health,
                new RemoteDraftStatus.Responses(
                        a.responses().count() + b.responses().count(),
                        a.responses().millis() + b.responses().millis(),
                        a.responses().late() + b.responses().late()),
                b.traffic().plus(a.traffic()));
    }

    private static ShardHealth both(ShardHealth a, ShardHealth b) {
        ShardHealth worse =
                Stream.of(a, b)
                        .filter(each -> each.state() != ShardHealth.State.READY)
                        .findFirst()
                        .orElse(a);
        return with(worse, a.restarts(), b);
    }

    private static ShardHealth with(ShardHealth health, long restarts, ShardHealth other) {
        return new ShardHealth(
                health.state(),
                health.reason(),
                restarts + other.restarts(),
                health.loading(),
                health.loss());
    }
}
