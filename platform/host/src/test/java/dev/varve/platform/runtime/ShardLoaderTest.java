package dev.varve.platform.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.Numerics;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.WeightLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The order and thread in which a loader opens shards, and their end when a part fails. */
class ShardLoaderTest {
    private static final ModelSettings SETTINGS =
            ModelSettings.of(SequenceLimits.of(256, 1))
                    .with(
                            new ComputeSettings(
                                    CacheTypes.f16(),
                                    WeightLayout.AS_IN_FILE,
                                    new Numerics(FlashAttention.OFF, BatchInvariance.ON)));

    @TempDir Path folder;

    private final List<String> events = Collections.synchronizedList(new ArrayList<>());

    private OpenedModel opened() {
        return PlainLoading.opened(PlainModel.mixed(256), folder);
    }

    /** A shard that reports its close, and fails to close if a test asks for that. */
    private final class Watched extends PlainShard {
        private final String name;
        private final boolean closesBadly;

        Watched(OpenedModel model, Placement.Part part, ShardOptions options, boolean closesBadly) {
            super((PlainModel) model.adapter(), part.range(), Sizes.of(options));
            name = part.device().toString();
            this.closesBadly = closesBadly;
        }

        @Override
        public void close() {
            events.add("close " + name);
            if (closesBadly) {
                throw new IllegalStateException(name + " does not close");
            }
            super.close();
        }
    }

    private List<Shard> run(
            OpenedModel model,
            List<String> devices,
            ShardFactory factory,
            LoadProgressListener progress) {
        SplitMemoryPlan plan = PlainLoading.plan(model, SETTINGS, devices, 1, 2, 3);
        return new ShardLoader(factory, plan, SETTINGS, progress).run();
    }

    /** Opens shards that are watched, but fails for some devices. */
    private ShardFactory failing(OpenedModel model, Set<String> failing, Set<String> closingBadly) {
        return (part, options, progress) -> {
            String name = part.device().toString();
            if (failing.contains(name)) {
                throw new VarveException(
                        VarveException.Kind.OUT_OF_MEMORY, name + " is out of memory");
            }
            events.add("open " + name);
            return new Watched(model, part, options, closingBadly.contains(name));
        };
    }

    @Test
    void localShardsAreOpenedOneAfterTheOther() {
        OpenedModel model = opened();

        List<Shard> shards =
                run(
                        model,
                        List.of("a:0", "b:0", "c:0", "d:0"),
                        failing(model, Set.of(), Set.of()),
                        LoadProgressListener.silent());

        assertEquals(List.of("open a:0", "open b:0", "open c:0", "open d:0"), events);
        assertEquals(
                "[[0, 1), [1, 2), [2, 3), [3, 4)]",
                shards.stream().map(Shard::range).toList().toString());
        shards.forEach(Shard::close);
    }

    @Test
    void remoteShardsAreOpenedConcurrently() throws Exception {
        OpenedModel model = opened();
        CountDownLatch both = new CountDownLatch(2);
        ShardFactory meeting =
                (part, options, progress) -> {
                    if (!part.device().isLocal()) {
                        both.countDown();
                        awaitAll(both);
                    }
                    return new Watched(model, part, options, false);
                };

        List<Shard> shards =
                run(
                        model,
                        List.of("a:0@process", "b:0", "c:0", "d:0@process"),
                        meeting,
                        LoadProgressListener.silent());

        assertEquals(0, both.getCount(), "both were under way at a time");
        assertEquals(4, shards.size());
        shards.forEach(Shard::close);
    }

    private static void awaitAll(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS), "the other one does not come");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"a:0", "b:0", "c:0@process", "d:0@process"})
    void whenOneFailsTheOthersAreClosedInOrder(String failing) {
        OpenedModel model = opened();
        List<String> devices = List.of("a:0", "b:0", "c:0@process", "d:0@process");

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                run(
                                        model,
                                        devices,
                                        failing(model, Set.of(failing), Set.of()),
                                        LoadProgressListener.silent()));

        assertEquals(failing + " is out of memory", error.getMessage());
        assertEquals(
                devices.stream().filter(each -> !each.equals(failing)).toList(),
                events.stream()
                        .filter(event -> event.startsWith("close"))
                        .map(event -> event.substring("close ".length()))
                        .toList());
    }

    @Test
    void firstFailureIsReportedWithTheOthersSuppressed() {
        OpenedModel model = opened();

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                run(
                                        model,
                                        List.of("a:0", "b:0", "c:0", "d:0"),
                                        failing(model, Set.of("b:0", "d:0"), Set.of()),
                                        LoadProgressListener.silent()));

        assertEquals("b:0 is out of memory", error.getMessage());
        assertEquals(1, error.getSuppressed().length);
        assertEquals("d:0 is out of memory", error.getSuppressed()[0].getMessage());
    }

    @Test
    void shardThatFailsToCloseDoesNotPreventOthersFromClosing() {
        OpenedModel model = opened();

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                run(
                                        model,
                                        List.of("a:0", "b:0", "c:0", "d:0"),
                                        failing(model, Set.of("d:0"), Set.of("a:0")),
                                        LoadProgressListener.silent()));

        assertEquals("d:0 is out of memory", error.getMessage());
        assertEquals("a:0 does not close", error.getSuppressed()[0].getMessage());
        assertTrue(events.containsAll(List.of("close b:0", "close c:0")), events.toString());
    }

    @Test
    void factoryErrorIsReported() {
        OpenedModel model = opened();
        AssertionError broken = new AssertionError("broken");

        RuntimeException error =
                assertThrows(
                        RuntimeException.class,
                        () ->
                                run(
                                        model,
                                        List.of("a:0", "b:0", "c:0", "d:0"),
                                        (part, options, progress) -> {
                                            throw broken;
                                        },
                                        LoadProgressListener.silent()));

        assertSame(broken, error.getCause());
    }

    @Test
    void everyShardGetsThePlannedSizesAndTheComputeSettings() {
        OpenedModel model = opened();
        Set<ShardOptions> given = new HashSet<>();
        ShardFactory noting =
                (part, options, progress) -> {
                    given.add(options);
                    return new Watched(model, part, options, false);
                };

        run(model, List.of("a:0", "b:0", "c:0", "d:0"), noting, LoadProgressListener.silent())
                .forEach(Shard::close);

        assertEquals(1, given.size(), given.toString());
        ShardOptions options = given.iterator().next();
        assertEquals(256, options.capacities().slots());
        assertEquals(3, options.capacities().stateRows());
        assertEquals(WeightLayout.AS_IN_FILE, options.weights());
        assertEquals(new Numerics(FlashAttention.OFF, BatchInvariance.ON), options.numerics());
        assertEquals(List.of(), options.captures());
    }

    @Test
    void progressIsTheSumOfAllShards() {
        OpenedModel model = opened();
        List<String> seen = new ArrayList<>();
        ShardFactory telling =
                (part, options, progress) -> {
                    progress.loaded(0, 10);
                    progress.loaded(10, 10);
                    return new Watched(model, part, options, false);
                };

        run(
                        model,
                        List.of("a:0", "b:0", "c:0", "d:0"),
                        telling,
                        (done, total) -> seen.add(done + "/" + total))
                .forEach(Shard::close);

        assertEquals(
                List.of("0/10", "10/10", "10/20", "20/20", "20/30", "30/30", "30/40", "40/40"),
                seen);
    }
}
