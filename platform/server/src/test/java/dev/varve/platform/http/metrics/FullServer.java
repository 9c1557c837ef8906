package dev.varve.platform.http.metrics;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.compression.CompressionFingerprint;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.CompressionTimes;
import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.SpeculationCounts;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.http.trace.TraceCounts;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.HandOffOutcome;
import dev.varve.platform.prefix.HandOffStatus;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus;
import dev.varve.platform.vision.ImageCounts;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A server that has every feature that the metrics report, and has used each feature. */
final class FullServer {
    static final String STRANGE = "cpu:0@unix:/run/a\"b\\c}";

    private FullServer() {}

    static Metrics metrics() {
        Metrics metrics = new Metrics(true);
        metrics.exposeCompression("one");
        metrics.exposeUpstream();
        metrics.exposeStreams(() -> new StreamCounts(2, 300, 4));
        metrics.exposeTraces(() -> Optional.of(new TraceCounts(5, 6, 7)));
        metrics.countRequest("/v1/completions", 200, "stop", "one");
        metrics.countRequest("/v1/completions", 200, "stop", "one");
        metrics.countRequest("/health", 200, "", "");
        metrics.countDisconnect();
        metrics.countUpstreamRequest();
        metrics.countUpstreamFailure("broken");
        metrics.countFailedCompression("one");
        metrics.countCompression(
                new CompressionReport(
                        CompressionReport.Mode.WHOLE,
                        0.5,
                        1000,
                        500,
                        2,
                        new CompressionTimes(1, 20, 3),
                        new CompressionFingerprint("00")),
                "one");
        GenerationLatencyRecorder times = metrics.of("one");
        times.observe(GenerationLatencyRecorder.Interval.QUEUE, 1_000_000);
        times.observe(GenerationLatencyRecorder.Interval.FIRST_TOKEN, 2_100_000);
        times.observe(GenerationLatencyRecorder.Interval.FIRST_TOKEN, 700_000_000);
        times.observe(GenerationLatencyRecorder.Interval.FIRST_TOKEN, 700_000_000_000L);
        times.observe(GenerationLatencyRecorder.Interval.TOKEN_GAP, 1_000_000);
        times.observe(GenerationLatencyRecorder.Interval.PREFILL, 1_000_000);
        times.observe(GenerationLatencyRecorder.Interval.DECODE, 1_000_000);
        times.observe(GenerationLatencyRecorder.Interval.REQUEST, 1_000_000);
        times.countCancelled(GenerationLatencyRecorder.Stage.DECODE);
        return metrics;
    }

    static List<ModelSample> models() {
        return List.of(
                new ModelSample(
                        "one",
                        ModelSample.State.READY,
                        Optional.of(engine()),
                        new ModelSample.Counts(2, 1, 0),
                        Optional.of(new ImageCounts(3, 768, 4_500_000_000L, 2, 12_345))),
                new ModelSample(
                        "two",
                        ModelSample.State.UNLOADED,
                        Optional.empty(),
                        new ModelSample.Counts(0, 0, 0),
                        Optional.empty()));
    }

    private static EngineStatus engine() {
        return new EngineStatus(
                new EngineStatus.Load(4096, 4, 2, 3),
                new KvSlotUsage(16384, 4096, 512),
                new ShardMemory(12_345_678_801L, 100, 20_000_000, 30),
                new EngineStatus.EngineCounters(
                        new EngineStatus.Tokens(40, 50, 60),
                        7,
                        8,
                        12_345_678,
                        0.5,
                        new EngineStatus.Masks(9, 0.25),
                        new FailureCounter.Report(4, 2, Optional.empty())),
                cache().with(Optional.of(disk()), Optional.of(shared()), Optional.of(handOff())),
                new SpeculationCounts(10, 5, List.of(2L, 2L, 0L, 1L), List.of(0L, 1L, 3L, 1L)),
                List.of(
                        shard("cpu:0", Optional.empty()),
                        shard(
                                STRANGE,
                                Optional.of(
                                        new RemoteConnectionTraffic(
                                                700,
                                                800,
                                                RemoteConnectionTraffic.PayloadPath.SHARED)))),
                Optional.of(
                        new RemoteDraftStatus(
                                STRANGE,
                                55,
                                ShardHealth.ready(),
                                new RemoteDraftStatus.Responses(40, 120, 3),
                                new RemoteConnectionTraffic(
                                        900, 60, RemoteConnectionTraffic.PayloadPath.STREAM))),
                Optional.of(
                        new PagingStatus(
                                new PagingOptions(4096, PagePolicy.LRU, 128),
                                new PagingCounts(120, 90, 12_345_678_901L, 40, 70, 50),
                                30,
                                1L << 33)),
                Optional.empty(),
                List.of(
                        new ReplicaStatus(
                                0,
                                ReplicaStatus.State.READY,
                                Optional.empty(),
                                new EngineStatus.Load(4096, 4, 2, 3),
                                new EngineStatus.Tokens(40, 50, 60),
                                new ReplicaStatus.FailoverCounts(1, 2))));
    }

    /** Of sources and reasons only some were counted. */
    private static PrefixCacheStatus cache() {
        return new PrefixCacheStatus(
                new PrefixCacheStatus.HostTierStatus(8_589_934_592L, 1_234_567_890, 12, 3456),
                new PrefixCacheStatus.Counts(
                        Map.of(CacheSource.HOST, 21L),
                        Map.of(CacheSource.HOST, 54_321L, CacheSource.DEVICE, 65L),
                        Map.of(MissReason.FAILED, 2L),
                        9,
                        new PrefixCacheStatus.TransferStats(
                                987_654_321,
                                123_456_789,
                                new long[] {1, 0, 2, 0, 3, 0, 0, 0, 0, 4},
                                12.5)));
    }

    private static HandOffStatus handOff() {
        return new HandOffStatus(
                List.of(
                        new HandOffStatus.Peer("grpcs:a:1", true),
                        new HandOffStatus.Peer("grpcs:b:1", false)),
                Map.of(HandOffOutcome.ADOPTED, 5L, HandOffOutcome.SLOW, 1L),
                6000,
                700);
    }

    private static SharedArchiveStatus shared() {
        return new SharedArchiveStatus(
                "redis://host/0",
                true,
                true,
                Map.of(SharedArchiveStatus.SearchOutcome.FOUND, 3L),
                30,
                40,
                Map.of(ArchiveMissException.Reason.ABSENT, 2L));
    }

    private static ArchiveStatus disk() {
        return new ArchiveStatus(
                ArchiveStatus.State.OPEN,
                100,
                50,
                4,
                3,
                1,
                new ArchiveStatus.Traffic(10, 20, 1, Map.of()));
    }

    private static ShardStatus shard(String device, Optional<RemoteConnectionTraffic> traffic) {
        return new ShardStatus(
                device,
                new LayerRange(3, 7),
                new ShardMemory(11, 22, 33, 44),
                ShardHealth.ready(),
                new ShardStatus.ForwardTotals(5, 60, 1500, 2000, traffic));
    }
}
