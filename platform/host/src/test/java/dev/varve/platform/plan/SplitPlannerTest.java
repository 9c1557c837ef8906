package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.paging.ResidentPoolMemory;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.ExpertModel;
import dev.varve.platform.placement.KvSharingModel;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.placement.TensorRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.RangeMemory;
import dev.varve.platform.setting.Setting;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** A model of 12 layers of which the last 4 use the rows of the two before them. */
class SplitPlannerTest {
    private static final KvSharingModel MODEL = new KvSharingModel(12, 4);
    private static final ModelBlocks BLOCKS = ModelBlocks.of(MODEL);
    private static final long PLENTY = 1L << 30;

    private final List<DeviceReference> measured = new ArrayList<>();
    private int blocksNeeded;

    private ModelBlocks blocks() {
        blocksNeeded++;
        return BLOCKS;
    }

    private SplitPlanner planner(long free) {
        return planner(ModelSettings.single(512), free);
    }

    private SplitPlanner planner(ModelSettings settings, long free) {
        return new SplitPlanner(
                MODEL,
                this::blocks,
                settings,
                device ->
                        new DeviceInfo(
                                device.device(), "", free, free, device.backend().equals("cpu")),
                device -> {
                    measured.add(device);
                    double slowness = device.backend().equals("cpu") ? 10 : 1;
                    return new Measurement(
                            new DeviceSpeed(
                                    StepTime.ZERO,
                                    Collections.nCopies(
                                            BLOCKS.kindCount(),
                                            new StepTime(slowness, 100 * slowness))),
                            Instant.EPOCH,
                            Duration.ofHours(3),
                            device.backend().equals("cpu")
                                    ? OptionalDouble.of(0.62)
                                    : OptionalDouble.of(0.1));
                });
    }

    private static PlacementRequest request(String devices, SplitRule split) {
        return PlacementRequest.of(DeviceReference.parseList(devices), split);
    }

    @Test
    void blocksAreLayersThatTheFamilyKeepsTogether() {
        assertEquals(7, BLOCKS.blocks().size());
        assertEquals(new LayerRange(6, 12), BLOCKS.blocks().getLast());
        assertEquals(List.of(0, 0, 0, 0, 0, 0, 1), BLOCKS.kinds());
    }

    @Test
    void modelsWithDifferentLayersHaveDifferentIdentities() {
        assertEquals(BLOCKS.identity(), ModelBlocks.of(new KvSharingModel(12, 4)).identity());
        assertTrue(!BLOCKS.identity().equals(ModelBlocks.of(new KvSharingModel(12, 3)).identity()));
    }

    @Test
    void blocksWithExpertsElsewhereHaveTheirOwnKind() {
        ExpertModel model = new ExpertModel(6, 0);
        TensorRules rules = new TensorRules(TensorRule.parseNamed("blk.[01].*_exps=cpu:0"));

        ModelBlocks plain = ModelBlocks.of(model);
        ModelBlocks spread = ModelBlocks.of(model, rules);

        assertEquals(List.of(0, 0, 0, 0, 0, 1), plain.kinds());
        assertEquals(List.of(0, 0, 1, 1, 1, 2), spread.kinds());
        assertTrue(!plain.identity().equals(spread.identity()));
    }

    @Test
    void equalSharesNeedNoMeasurement() {
        SplitPlanner.Placed placed =
                planner(PLENTY).place(request("cpu:0,cpu:0", new SplitRule.Equal()));

        assertEquals(
                "[cpu:0 layers [0, 6), cpu:0 layers [6, 12)]",
                placed.placement().parts().toString());
        assertEquals(List.of(), measured);
        assertEquals(0, blocksNeeded);
        assertEquals(List.of(), placed.reasons());
    }

    @Test
    void boundaryMovedByTheFamilyIsAReason() {
        SplitPlanner.Placed placed =
                planner(PLENTY)
                        .place(request("cpu:0,cpu:0", new SplitRule.Weights(List.of(3.0, 1.0))));

        assertEquals(new LayerRange(0, 6), placed.placement().parts().getFirst().range());
        assertTrue(placed.reasons().getFirst().contains("layers 8 to 11 use"), placed.toString());
    }

    @Test
    void automaticSplitFollowsTheSpeedsAndTheFamily() {
        SplitPlanner.Placed placed =
                planner(PLENTY).place(request("cuda:0,cpu:0", new SplitRule.Automatic()));

        assertEquals(
                "[cuda:0 layers [0, 6), cpu:0 layers [6, 12)]",
                placed.placement().parts().toString());
        String reason = placed.reasons().getFirst();
        assertTrue(reason.contains("cuda:0 gets layers [0, 6) (alone it would"), reason);
        assertTrue(
                reason.contains("tokens/s, measured 3 hours ago; 1.0 GiB free), cpu:0 gets"),
                reason);
        assertTrue(
                reason.contains(
                        "measured 3 hours ago, while other processes used 62 % of the cores;"),
                reason);
        assertTrue(reason.endsWith("; " + Setting.MEASURE_AGAIN + " measures again"), reason);
        assertEquals(2, measured.size());
    }

    @Test
    void deviceIsMeasuredOnceForAllProcessesOfThisMachine() {
        planner(PLENTY).forecast(request("cpu:0,cpu:0@process,cpu:0", new SplitRule.Automatic()));

        assertEquals(1, measured.size(), measured.toString());
    }

    @Test
    void decodeTimesAddUpAndPrefillOverlapsBetweenProcessors() {
        SplitForecast two =
                planner(PLENTY).forecast(request("cuda:0,cpu:0", new SplitRule.Equal()));
        SplitForecast one = planner(PLENTY).forecast(request("cpu:0,cpu:0", new SplitRule.Equal()));

        // Six blocks on one device, one on the other.
        assertEquals(1000 / (6 * 1 + 10.0), two.decodeTokensPerSecond(), 1e-9);
        assertEquals(1000 * 512 / 1000.0, two.prefillTokensPerSecond(), 1e-9);
        assertEquals(1000 * 512 / 7000.0, one.prefillTokensPerSecond(), 1e-9);
    }

    /** Half of the experts are in memory; a token uses an eighth of them. */
    @Test
    void readsOfExpertsAddToTheTimeOfEachStep() {
        SplitForecast inMemory =
                planner(PLENTY).forecast(request("cuda:0,cpu:0", new SplitRule.Equal()));

        SplitForecast forecast = inMemory.reading(new ExpertReadForecast(1600, 800, 64, 8, 2e4));
        SplitForecast cached = inMemory.reading(new ExpertReadForecast(1600, 1600, 64, 8, 2e4));

        assertEquals(1000 / (16.0 + 5), forecast.decodeTokensPerSecond(), 1e-9);
        assertEquals(1000 * 512 / (1000.0 + 80), forecast.prefillTokensPerSecond(), 1e-6);
        assertEquals(inMemory.decodeTokensPerSecond(), cached.decodeTokensPerSecond(), 1e-9);
        assertEquals(inMemory.prefillTokensPerSecond(), cached.prefillTokensPerSecond(), 1e-9);
    }

    @Test
    void splitThatDoesNotFitIsRefusedWithTheSumsOfEachShard() {
        for (SplitRule rule : List.of(new SplitRule.Equal(), new SplitRule.Automatic())) {
            VarveException refused =
                    assertThrows(
                            VarveException.class,
                            () -> planner(1 << 20).forecast(request("cpu:0,cpu:0", rule)));

            assertEquals(VarveException.Kind.OUT_OF_MEMORY, refused.kind());
            String message = refused.getMessage();
            assertTrue(message.contains("cpu:0 layers [0, 6): weights"), message);
            assertTrue(message.contains("cpu:0 layers [6, 12): weights"), message);
            assertTrue(message.contains("together"), message);
        }
    }

    @Test
    void allShardsHaveTheSlotsOfTheSmallestDevice() {
        SplitForecast forecast =
                planner(PLENTY).forecast(request("cuda:0,cpu:0", new SplitRule.Equal()));

        assertEquals(
                1,
                forecast.memory().parts().stream()
                        .map(part -> part.memory().capacities().slots())
                        .distinct()
                        .count());
        assertEquals(
                forecast.memory().parts().stream()
                        .mapToLong(part -> part.memory().need().totalBytes())
                        .sum(),
                forecast.memory().total().need().totalBytes());
    }

    @Test
    void automaticSplitCountsPoolsInsteadOfWholeContexts() {
        ModelSettings whole = ModelSettings.single(4096);
        ModelSettings pooled = whole.withPool(Optional.of(RequestedPaging.of(512)));
        PlacementRequest request = request("cuda:0,cpu:0", new SplitRule.Automatic());
        // On each of the two, seven parts of the eight that have rows, with a pool.
        long free = RangeMemory.of(MODEL, new LayerRange(0, 7), pooled).bytes(512);

        SplitForecast forecast = planner(pooled, free).forecast(request);

        assertEquals(512, forecast.pool().options().orElseThrow().poolTokens());
        assertEquals(forecast.pool(), forecast.memory().pool());
        assertThrows(VarveException.class, () -> planner(whole, free).forecast(request));
    }

    /** The card holds the layers without their experts, and the host all experts. */
    @Test
    void automaticSplitCountsExpertsWhereTheRulesPlaceThem() {
        ExpertModel model = new ExpertModel(12, 0);
        TensorRules rules =
                new TensorRules(
                        List.of(
                                new TensorRule.Experts(
                                        Setting.CPU_MOE,
                                        new TensorRule.Layers.All(),
                                        DeviceReference.PROCESSOR)));
        PlacementRequest request = request("cuda:0,cpu:0", new SplitRule.Automatic()).with(rules);
        DeviceReference cuda = request.primary();
        LayerRange eleven = new LayerRange(0, 11);
        long card =
                RangeMemory.of(
                                model,
                                eleven,
                                rules.apply(new Placement.Part(cuda, eleven), model).tensors(),
                                new DeviceInfo("cuda:0", "", PLENTY, PLENTY, false),
                                ModelSettings.single(512))
                        .bytes(512);

        SplitForecast spread = spread(model, rules, card, PLENTY).forecast(request);

        assertEquals(eleven, spread.placement().parts().getFirst().range());
        assertTrue(spread.placement().isSpread());
        assertThrows(
                VarveException.class,
                () ->
                        spread(model, rules, card, 12 * 3 * ExpertModel.EXPERT_BYTES)
                                .forecast(request));
        assertThrows(
                VarveException.class,
                () ->
                        spread(model, TensorRules.NONE, card, card)
                                .forecast(request.with(TensorRules.NONE)));
    }

    private static SplitPlanner spread(ExpertModel model, TensorRules rules, long card, long host) {
        ModelBlocks blocks = ModelBlocks.of(model, rules);
        return new SplitPlanner(
                model,
                () -> blocks,
                ModelSettings.single(512),
                device -> {
                    boolean isHost = device.backend().equals("cpu");
                    long free = isHost ? host : card;
                    return new DeviceInfo(device.device(), "", free, free, isHost);
                },
                device ->
                        new Measurement(
                                new DeviceSpeed(
                                        StepTime.ZERO,
                                        Collections.nCopies(
                                                blocks.kindCount(),
                                                device.backend().equals("cpu")
                                                        ? new StepTime(10, 1000)
                                                        : new StepTime(1, 100))),
                                Instant.EPOCH,
                                Duration.ZERO,
                                OptionalDouble.empty()));
    }

    @Test
    void automaticPoolIsSizedForAnAutomaticSplit() {
        ModelSettings settings =
                ModelSettings.single(4096).withPool(Optional.of(RequestedPaging.automatic()));
        long free = ResidentPoolMemory.RESERVE_BYTES + PLENTY;

        SplitForecast forecast =
                planner(settings, free)
                        .forecast(request("cuda:0,cpu:0", new SplitRule.Automatic()));

        assertEquals(4096, forecast.pool().options().orElseThrow().poolTokens());
    }

    @Test
    void moreDevicesThanSplitPointsAreRefused() {
        String nine = String.join(",", Collections.nCopies(13, "cpu:0"));

        String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () ->
                                        planner(PLENTY)
                                                .place(request(nine, new SplitRule.Automatic())))
                        .getMessage();

        assertTrue(message.startsWith(Setting.DEVICES + ": "), message);
    }
}
