package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.plan.LocalDeviceProbe;
import dev.varve.platform.plan.LocalDeviceProbe.Age;
import dev.varve.platform.plan.ModelBlocks;
import dev.varve.platform.plan.ProbeCache;
import dev.varve.platform.plan.SplitForecast;
import dev.varve.platform.plan.SplitPlanner;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitPlan;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Devices are measured with parts of a model of any family, and plans come true in memory. */
class PlanTest {
    private static final PlacementRequest TWO =
            new PlacementRequest(
                    DeviceReference.parseList("cpu:0,cpu:0"),
                    new SplitRule.Automatic(),
                    false,
                    Optional.empty(),
                    Optional.empty());

    @TempDir Path folder;

    private final List<String> told = new ArrayList<>();

    private SplitForecast forecast(Path file, ModelSettings settings, Age age) {
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter model = Cpu.family(gguf).open(gguf, ModelOptions.defaults());
        ModelBlocks blocks = ModelBlocks.of(model);
        LocalBackends backends = Cpu.backends();
        return new SplitPlanner(
                        model,
                        blocks,
                        settings,
                        backends::info,
                        new LocalDeviceProbe(
                                gguf,
                                model,
                                blocks,
                                backends,
                                Cpu.options(),
                                settings,
                                new ProbeCache(folder.resolve("probes")),
                                age,
                                told::add))
                .forecast(TWO);
    }

    @ParameterizedTest
    @EnumSource
    void everyFamilyIsMeasuredOnceAndCutWhereItMayBe(Family family) throws Exception {
        Path file = family.odd(3).write(folder);
        ModelSettings settings = Cpu.settings(300, 1, Cpu.F16);

        SplitForecast fresh = forecast(file, settings, Age.ANY);
        SplitForecast known = forecast(file, settings, Age.ANY);

        assertEquals(1, told.size(), told.toString());
        assertEquals(fresh.decodeTokensPerSecond(), known.decodeTokensPerSecond());
        assertTrue(fresh.decodeTokensPerSecond() > 1, fresh.toString());
        assertTrue(fresh.prefillTokensPerSecond() > 1, fresh.toString());
        LayerRange second = fresh.placement().parts().getLast().range();
        assertTrue(
                IntStream.of(Cpu.legalCuts(file)).anyMatch(cut -> cut == second.begin()),
                second + " of " + Arrays.toString(Cpu.legalCuts(file)));
    }

    @ParameterizedTest
    @EnumSource
    void theShardsOfAPlanTogetherHoldTheCachesOfTheWhole(Family family) throws Exception {
        Path file = family.odd(3).write(folder);
        ModelSettings settings = Cpu.settings(300, 1, Cpu.F16);
        GgufFile gguf = GgufFile.open(file);
        LayerSplitAdapter model = Cpu.family(gguf).open(gguf, ModelOptions.defaults());
        int cut = Cpu.legalCuts(file)[0];
        List<LayerRange> ranges =
                List.of(new LayerRange(0, cut), new LayerRange(cut, model.shape().layerCount()));
        SplitPlan plan =
                SplitPlan.of(
                        model, Placement.of(TWO.devices(), ranges), Cpu.backends()::info, settings);

        try (LoadedModel whole = Cpu.load(file, settings, cut)) {
            assertEquals(whole.plan().slots(), plan.total().slots());
            assertEquals(whole.plan().kvBytes(), plan.total().kvBytes());
        }
    }
}
