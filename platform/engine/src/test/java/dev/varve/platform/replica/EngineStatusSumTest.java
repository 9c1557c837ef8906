package dev.varve.platform.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.SpeculationCounts;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.RemoteProcessInfo;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Tests the figures of several engines, simultaneous and successive. */
class EngineStatusSumTest {
    private static final EngineStatus.Outage OUTAGE =
            new EngineStatus.Outage(Duration.ofSeconds(2), Duration.ofSeconds(9), false);

    /** Returns the status of an engine that is ready, or lacks its draft model and a shard. */
    private static EngineStatus engine(boolean well) {
        ShardHealth health =
                well
                        ? ShardHealth.ready(2)
                        : new ShardHealth(
                                ShardHealth.State.LOADING,
                                Optional.of("it loads"),
                                1,
                                Optional.empty());
        return new EngineStatus(
                new EngineStatus.Load(100, 4, 0, 0),
                new KvSlotUsage(256, 0, 0),
                new ShardMemory(1, 2, 3, 4, 5),
                EngineStatus.EngineCounters.NONE,
                PrefixCacheStatus.NONE,
                new SpeculationCounts(
                        10,
                        6,
                        List.of(1L, 3L),
                        List.of(0L, 4L),
                        "mtp",
                        List.of(new SpeculationCounts.ConfidenceBucket(well ? 1 : 2, 10, 6, 4))),
                List.of(
                        new ShardStatus(
                                "cpu:0@process",
                                new LayerRange(0, 2),
                                new ShardMemory(1, 2, 3, 4, 5),
                                health,
                                new ShardStatus.ForwardTotals(
                                        7, 60, 1000, 200, Optional.of(traffic())),
                                Optional.of(
                                        new RemoteProcessInfo(
                                                true, Optional.empty(), Optional.of(77L))))),
                Optional.of(
                        new RemoteDraftStatus(
                                "cpu:0@process",
                                55,
                                health,
                                new RemoteDraftStatus.Responses(40, 120, 3),
                                traffic())),
                Optional.of(
                        new PagingStatus(
                                new PagingOptions(512, PagePolicy.LRU, 64),
                                new PagingCounts(9, 4, 640, 3, 2, 1),
                                5,
                                320,
                                8)),
                well ? Optional.empty() : Optional.of(OUTAGE),
                List.of());
    }

    private static RemoteConnectionTraffic traffic() {
        return new RemoteConnectionTraffic(900, 60, RemoteConnectionTraffic.PayloadPath.STREAM);
    }

    @Test
    void draftStatusIsTheSumOverReplicas() {
        RemoteDraftStatus all =
                EngineStatusSum.of(engine(true), engine(true)).draft().orElseThrow();
        RemoteDraftStatus half =
                EngineStatusSum.of(engine(true), engine(false)).draft().orElseThrow();

        assertTrue(all.isReady());
        assertEquals(new RemoteDraftStatus.Responses(80, 240, 6), all.responses());
        assertEquals(110, all.bytes());
        assertEquals(1800, all.traffic().sentBytes());
        assertEquals(4, all.health().restarts());
        assertFalse(half.isReady(), "one of two is not enough");
        assertEquals(Optional.of("it loads"), half.health().reason());
        assertEquals(3, half.health().restarts());
    }

    @Test
    void draftStatusKeepsNameAndGrades() {
        SpeculationCounts same = EngineStatusSum.of(engine(true), engine(true)).speculation();
        SpeculationCounts other = EngineStatusSum.of(engine(false), engine(true)).speculation();

        assertEquals("mtp", same.name());
        assertEquals(List.of(new SpeculationCounts.ConfidenceBucket(1, 20, 12, 8)), same.grades());
        assertEquals(List.of(0L, 8L), same.widths());
        assertEquals(
                List.of(
                        new SpeculationCounts.ConfidenceBucket(1, 10, 6, 4),
                        new SpeculationCounts.ConfidenceBucket(2, 10, 6, 4)),
                other.grades());
    }

    @Test
    void poolPagesAreTheSumOverReplicas() {
        PagingStatus sum = EngineStatusSum.of(engine(true), engine(true)).paging().orElseThrow();
        EngineStatus past = EngineStatusSum.countsOf(engine(true), "gone");

        assertEquals(16, sum.residentPages());
        assertEquals(10, sum.hostPages());
        assertEquals(0, past.paging().orElseThrow().residentPages());
    }

    @Test
    void lostEngineKeepsItsShardsAndDraftAsMissing() {
        EngineStatus gone = EngineStatusSum.countsOf(engine(true), "made for the test");

        ShardStatus shard = gone.shards().getFirst();
        assertFalse(shard.isReady());
        assertEquals(Optional.of("made for the test"), shard.health().reason());
        assertEquals(new ShardMemory(0, 0, 0, 0), shard.memory());
        assertEquals(7, shard.work().forwards());
        assertEquals(Optional.empty(), shard.peer().orElseThrow().pid(), "no process is there");
        RemoteDraftStatus draft = gone.draft().orElseThrow();
        assertFalse(draft.isReady());
        assertEquals(0, draft.bytes());
        assertEquals(40, draft.responses().count());
    }

    @Test
    void brokenEngineHoldsItsMemoryAndComputesNothing() {
        EngineStatus broken = EngineStatusSum.broken(engine(true), "made for the test");

        ShardStatus shard = broken.shards().getFirst();
        assertFalse(shard.isReady());
        assertEquals(engine(true).shards().getFirst().memory(), shard.memory());
        assertEquals(Optional.of(77L), shard.peer().orElseThrow().pid());
    }

    @Test
    void countersContinueInTheReplacementEngine() {
        EngineStatus past = EngineStatusSum.countsOf(engine(true), "made for the test");

        EngineStatus now = EngineStatusSum.after(engine(true), past);

        assertEquals(1, now.shards().size(), "it is the same place");
        ShardStatus shard = now.shards().getFirst();
        assertTrue(shard.isReady());
        assertEquals(14, shard.work().forwards());
        assertEquals(2000, shard.work().forwardMillis());
        assertEquals(1800, shard.work().traffic().orElseThrow().sentBytes());
        assertEquals(4, shard.health().restarts());
        assertEquals(new ShardMemory(1, 2, 3, 4, 5), shard.memory());
        RemoteDraftStatus draft = now.draft().orElseThrow();
        assertTrue(draft.isReady());
        assertEquals(80, draft.responses().count());
        assertEquals(55, draft.bytes());
    }

    @Test
    void outageIsReportedForEarlierAndOtherEngines() {
        EngineStatus past = EngineStatusSum.countsOf(engine(true), "made for the test");

        EngineStatus later = EngineStatusSum.after(engine(false), past);
        EngineStatus beside = EngineStatusSum.of(past, engine(false));

        assertEquals(Optional.of(OUTAGE), later.outage());
        assertEquals(Optional.of(OUTAGE), beside.outage());
    }
}
