package dev.varve.platform.plan;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ShardOptions;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * Measures a device with parts of the model itself: one block of each kind, and a run of blocks.
 * The single blocks give the difference between kinds. The run gives the fixed cost of a step, and
 * the speed of blocks whose weights do not fit the processor's caches.
 */
public final class BlockBenchmark {
    /** Time limit for kinds: rare kinds are measured last, and estimated if the time is over. */
    private static final long KINDS_NANOS = 2_500_000_000L;

    /** Time limit after which only the decode of the run is measured. */
    private static final long LONGEST_NANOS = 5_000_000_000L;

    /** Limit above which the prefill of a run is not measured. */
    private static final double LONGEST_RUN_PREFILL_MILLIS = 2500;

    /** Weights of a run: more than most processors' caches hold, and loaded in about a second. */
    private static final long RUN_BYTES = 512L << 20;

    private final LayerSplitAdapter model;
    private final ModelBlocks blocks;
    private final ShardOpener opener;
    private final long runBytes;

    /**
     * Creates a probe of one device.
     *
     * @param opener loads shards with {@link #shardOptions}
     * @param freeBytes free memory of the device
     */
    public BlockBenchmark(
            LayerSplitAdapter model, ModelBlocks blocks, ShardOpener opener, long freeBytes) {
        this.model = model;
        this.blocks = blocks;
        this.opener = opener;
        runBytes = Math.min(RUN_BYTES, freeBytes / 2);
    }

    /**
     * Returns the options of the shards that a probe needs; small, so that a nearly full device can
     * be measured.
     */
    public static ShardOptions shardOptions(LayerSplitAdapter model, ModelSettings settings) {
        CacheUnitBytes unitBytes =
                CacheUnitBytes.of(
                        model.shape(),
                        model.shape().allLayers(),
                        settings.computation().cacheTypes(),
                        StepTime.CHUNK,
                        TimedShard.SLOTS);
        return settings.computation()
                .shardOptions(
                        new CacheCapacities(
                                TimedShard.SLOTS, TimedShard.STATE_ROWS, unitBytes.regionSlots()));
    }

    /**
     * Measures the device.
     *
     * @throws VarveException if a block does not fit the device, or the device fails
     */
    public DeviceSpeed measure() {
        long begin = System.nanoTime();
        Map<Integer, StepTime> single = measureKinds();
        List<StepTime> kinds = estimateOthers(single);
        int run = runLength();
        if (run < 2) {
            return new DeviceSpeed(StepTime.ZERO, kinds);
        }
        LayerRange range = blocks.range(0, run - 1);
        double prefill = blocks.sum(range, kind -> kinds.get(kind).prefillMillis());
        boolean inTime = System.nanoTime() - begin < LONGEST_NANOS;
        Optional<RunTime> whole =
                inTime && prefill <= LONGEST_RUN_PREFILL_MILLIS
                        ? measured(range, BlockBenchmark::both)
                        : measured(range, BlockBenchmark::decodeOnly);
        return whole.map(time -> combine(kinds, range, run, time))
                .orElseGet(() -> new DeviceSpeed(StepTime.ZERO, kinds));
    }

    /**
     * Measures a range as one shard.
     *
     * @throws VarveException if it does not fit the device, or the device fails
     */
    public StepTime measure(LayerRange range) {
        return time(range);
    }

    /**
     * Measures how much longer a step that verifies draft tokens takes than a step with one token,
     * on the last blocks with the head.
     *
     * @param tokens tokens of the step, including the known one
     * @throws VarveException if the last block does not fit the device, or the device fails
     */
    public double checkRatio(int tokens) {
        int last = blocks.blocks().size() - 1;
        int first = last;
        long sum = blocks.bytes().get(last);
        while (first > 0 && sum + blocks.bytes().get(first - 1) <= runBytes) {
            sum += blocks.bytes().get(--first);
        }
        try (TimedShard shard = new TimedShard(opener.open(blocks.range(first, last)), model)) {
            return shard.checkRatio(tokens);
        }
    }

    private Map<Integer, StepTime> measureKinds() {
        Map<Integer, StepTime> measured = new HashMap<>();
        int last = blocks.blocks().size() - 1;
        measured.put(blocks.kinds().get(last), warmTime(blocks.range(last, last)));
        long begin = System.nanoTime();
        for (int kind : byFrequency()) {
            if (measured.containsKey(kind)) {
                continue;
            }
            if (measured.size() > 1 && System.nanoTime() - begin > KINDS_NANOS) {
                break;
            }
            // Prefers another block than the first, which has no boundary activation.
            int block = blocks.kinds().lastIndexOf(kind);
            measured.put(kind, time(blocks.range(block, block)));
        }
        return measured;
    }

    private List<Integer> byFrequency() {
        Map<Integer, Long> counts = new HashMap<>();
        blocks.kinds().forEach(kind -> counts.merge(kind, 1L, Long::sum));
        return counts.keySet().stream()
                .sorted(Comparator.comparing((Integer kind) -> -counts.get(kind)))
                .toList();
    }

    /** Estimates a kind that was not measured from the one next in size. */
    private List<StepTime> estimateOthers(Map<Integer, StepTime> measured) {
        List<StepTime> kinds = new ArrayList<>();
        for (int kind = 0; kind < blocks.kindCount(); kind++) {
            StepTime known = measured.get(kind);
            if (known == null) {
                long bytes = bytesOf(kind);
                int nearest =
                        measured.keySet().stream()
                                .min(
                                        Comparator.comparingLong(
                                                (Integer other) ->
                                                        Math.abs(bytesOf(other) - bytes)))
                                .orElseThrow();
                double ratio = (double) bytes / Math.max(1, bytesOf(nearest));
                known = scaled(measured.get(nearest), ratio, ratio);
            }
            kinds.add(known);
        }
        return kinds;
    }

    private long bytesOf(int kind) {
        return blocks.bytes().get(blocks.kinds().indexOf(kind));
    }

    private int runLength() {
        long sum = 0;
        int run = 0;
        while (run < blocks.blocks().size() && sum + blocks.bytes().get(run) <= runBytes) {
            sum += blocks.bytes().get(run++);
        }
        return run;
    }

    /**
     * Time of a run of blocks.
     *
     * @param prefillMillis empty if it would have taken too long
     */
    record RunTime(double decodeMillis, OptionalDouble prefillMillis) {}

    private static RunTime both(TimedShard shard) {
        StepTime time = shard.measure();
        return new RunTime(time.decodeMillis(), OptionalDouble.of(time.prefillMillis()));
    }

    private static RunTime decodeOnly(TimedShard shard) {
        return new RunTime(shard.decodeMillis(), OptionalDouble.empty());
    }

    /** Measures a run; empty if it does not fit the device. */
    private Optional<RunTime> measured(LayerRange range, Function<TimedShard, RunTime> way) {
        try (TimedShard shard = new TimedShard(opener.open(range), model)) {
            return Optional.of(way.apply(shard));
        } catch (VarveException e) {
            if (e.kind() == VarveException.Kind.OUT_OF_MEMORY) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private StepTime warmTime(LayerRange range) {
        try (TimedShard shard = new TimedShard(opener.open(range), model)) {
            shard.warmUp();
            return shard.measure();
        }
    }

    private StepTime time(LayerRange range) {
        try (TimedShard shard = new TimedShard(opener.open(range), model)) {
            return shard.measure();
        }
    }

    /**
     * Combines the measurements. A single block takes p + c, the run p + the sum of its c; that
     * gives p. The blocks are then scaled so that they add up to the measured run.
     */
    DeviceSpeed combine(List<StepTime> single, LayerRange range, int run, RunTime whole) {
        double sum = blocks.sum(range, kind -> single.get(kind).decodeMillis());
        double least = single.stream().mapToDouble(StepTime::decodeMillis).min().orElseThrow();
        // With coarse timers a run may seem faster than one of its blocks; the fixed cost stays
        // positive.
        double most = Math.min(least, whole.decodeMillis()) / 2;
        double perShard = Math.clamp((sum - whole.decodeMillis()) / (run - 1), 0, most);
        double decodeScale =
                (whole.decodeMillis() - perShard) / Math.max(1e-9, sum - run * perShard);
        double prefillSum = blocks.sum(range, kind -> single.get(kind).prefillMillis());
        double prefillScale =
                prefillSum > 0 ? whole.prefillMillis().orElse(prefillSum) / prefillSum : 1;
        List<StepTime> kinds =
                single.stream()
                        .map(
                                time ->
                                        scaled(
                                                new StepTime(
                                                        time.decodeMillis() - perShard,
                                                        time.prefillMillis()),
                                                decodeScale,
                                                prefillScale))
                        .toList();
        return new DeviceSpeed(new StepTime(perShard, 0), kinds);
    }

    private static StepTime scaled(StepTime time, double decode, double prefill) {
        return new StepTime(time.decodeMillis() * decode, time.prefillMillis() * prefill);
    }

    /** Returns a low quantile of the times, since other load only adds time. */
    static double lowQuantile(List<Double> times) {
        return times.stream().sorted().skip(times.size() / 5).findFirst().orElseThrow();
    }
}
