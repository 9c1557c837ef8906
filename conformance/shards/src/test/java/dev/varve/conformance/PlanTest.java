package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.plan.CachingProbe.Age;
import dev.varve.platform.plan.SplitForecast;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.MemoryNeed;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Devices are measured with parts of a model of any family, and plans come true in memory. */
class PlanTest {
    private static final PlacementRequest TWO =
            PlacementRequest.of(
                    DeviceReference.parseList("cpu:0,cpu:0"), new SplitRule.Automatic());

    @TempDir Path folder;

    private final List<String> notes = new ArrayList<>();

    private SplitForecast forecast(Path file, ModelSettings settings, Age age) {
        return forecast(file, settings, age, folder.resolve("plugins.jar"));
    }

    private SplitForecast forecast(Path file, ModelSettings settings, Age age, Path plugins) {
        HostSettings host =
                new HostSettings(
                        file,
                        settings,
                        DeviceSettings.best().with(TWO).withThreads(2),
                        Cpu.plugins(plugins, folder.resolve("cache")),
                        ShardProcessSettings.none());
        ModelLoadListener listener =
                new ModelLoadListener() {
                    @Override
                    public void note(String text) {
                        if (text.startsWith("measuring ")) {
                            notes.add(text);
                        }
                    }
                };
        return PreparedModel.open(host, listener).forecast(age);
    }

    @ParameterizedTest
    @EnumSource
    @ByDay({1, 3})
    void everyFamilyIsMeasuredOnceAndSplitWhereAllowed(Family family) throws Exception {
        Path file = family.odd(3).write(folder);
        ModelSettings settings = Cpu.settings(300, 1, Cpu.F16);

        SplitForecast fresh = forecast(file, settings, Age.ANY);
        SplitForecast known = forecast(file, settings, Age.ANY);

        assertEquals(1, notes.size(), notes.toString());
        assertEquals(fresh.decodeTokensPerSecond(), known.decodeTokensPerSecond());
        assertTrue(fresh.decodeTokensPerSecond() > 1, fresh.toString());
        assertTrue(fresh.prefillTokensPerSecond() > 1, fresh.toString());
        LayerRange second = fresh.placement().parts().getLast().range();
        assertTrue(
                IntStream.of(Cpu.legalCuts(file)).anyMatch(cut -> cut == second.begin()),
                second + " of " + Arrays.toString(Cpu.legalCuts(file)));
    }

    @Test
    void changedPluginBuildIsMeasuredAgain() throws Exception {
        Path file = Family.LAGUNA.odd(3).write(folder);
        ModelSettings settings = Cpu.settings(300, 1, Cpu.F16);
        Path first = Files.writeString(folder.resolve("first.jar"), "one build");
        Path copy = Files.writeString(folder.resolve("copy.jar"), "one build");
        Path other = Files.writeString(folder.resolve("other.jar"), "another one");

        forecast(file, settings, Age.ANY, first);
        forecast(file, settings, Age.ANY, copy);
        int before = notes.size();
        forecast(file, settings, Age.ANY, other);
        forecast(file, settings, Age.ANY, other);

        assertEquals(1, before, notes.toString());
        assertEquals(2, notes.size(), notes.toString());
    }

    @ParameterizedTest
    @EnumSource
    void shardsOfAPlanTogetherHoldTheCachesOfTheWholeModel(Family family) throws Exception {
        Path file = family.odd(3).write(folder);
        ModelSettings settings = Cpu.settings(300, 1, Cpu.F16);
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter model = Cpu.family(gguf).open(gguf, ModelOptions.defaults());
        int cut = Cpu.legalCuts(file)[0];
        List<LayerRange> ranges =
                List.of(new LayerRange(0, cut), new LayerRange(cut, model.shape().layerCount()));
        SplitMemoryPlan plan =
                SplitMemoryPlan.of(
                        model, Placement.of(TWO.devices(), ranges), Cpu.backends()::info, settings);

        try (LoadedModel whole = Cpu.load(file, settings, cut)) {
            assertEquals(whole.plan().capacities().slots(), plan.total().capacities().slots());
            assertEquals(whole.plan().need().kvBytes(), plan.total().need().kvBytes());
        }
    }

    /** Buffers for computing are an upper estimate, which ComputeMemoryTest compares. */
    @ParameterizedTest
    @EnumSource
    void weightsAndCachesHaveThePlannedBytes(Family family) throws Exception {
        Path file = family.odd(3).write(folder);
        ModelSettings settings = Cpu.settings(1024, 2, Cpu.F16);

        try (LoadedModel whole = Cpu.load(file, settings, Cpu.legalCuts(file)[0])) {
            MemoryNeed planned = whole.plan().need();
            long weights = 0;
            long caches = 0;
            for (ShardStatus shard : whole.shards()) {
                weights += shard.memory().allWeights();
                caches += shard.memory().kv();
            }

            assertWithin("weights", planned.weightBytes(), weights);
            assertWithin("caches", planned.kvBytes() + planned.stateBytes(), caches);
        }
    }

    private static void assertWithin(String what, long planned, long allocated) {
        assertTrue(
                Math.abs(planned - allocated) <= 0.05 * allocated,
                what + ": planned " + planned + ", allocated " + allocated);
    }
}
