package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
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
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.WeightLayout;

import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;

/** A model of 12 layers, each with experts of 192 KiB, on cards that are too small for it. */
class PlacementFitterTest {
    private static final ExpertModel EXPERTS = new ExpertModel(12, 0);
    private static final long LAYER =
            3 * ExpertModel.EXPERT_BYTES + ExpertModel.BIAS_BYTES + 64 * 64 * 4;
    private static final long PLENTY = 1L << 30;
    private static final ModelSettings SETTINGS = ModelSettings.single(512);

    private static PlacementRequest request(String devices) {
        return PlacementRequest.of(DeviceReference.parseList(devices), new SplitRule.Equal());
    }

    private static DeviceInfo info(DeviceReference device, long card, long host) {
        boolean isHost = device.backend().equals("cpu");
        long free = isHost ? host : card;
        return new DeviceInfo(device.device(), "", free, free, isHost);
    }

    private static PlacementFitter.Fitted fit(
            LayerSplitAdapter model, String devices, long card, long host) {
        return fit(model, devices, card, host, PlacementFitterTest::refuse);
    }

    private static PlacementFitter.Fitted fit(
            LayerSplitAdapter model,
            String devices,
            long card,
            long host,
            PlacementFitter.SpeedMeter meter) {
        return new PlacementFitter(
                        model,
                        device -> info(device, card, host),
                        (request, settings) -> place(model, request, settings, card, host),
                        settings ->
                                settings.computation().weights() == WeightLayout.STREAMED
                                        ? settings.with(
                                                settings.computation().withExpertCache(host / 8))
                                        : settings,
                        meter)
                .fit(request(devices), SETTINGS);
    }

    /** Measures nothing, so that the rules decide. */
    private static DeviceSpeed refuse(DeviceReference device, TensorRules rules) {
        throw new VarveException(VarveException.Kind.BACKEND_FAILED, device + " is busy");
    }

    private static Placement place(
            LayerSplitAdapter model,
            PlacementRequest request,
            ModelSettings settings,
            long card,
            long host) {
        return new SplitPlanner(
                        model,
                        () -> ModelBlocks.of(model, request.tensors()),
                        settings,
                        device -> info(device, card, host),
                        device -> {
                            throw new AssertionError("measures " + device);
                        })
                .place(request)
                .placement();
    }

    /** Returns the bytes of a request on its first device. */
    private static long bytes(LayerSplitAdapter model, PlacementRequest request) {
        return SplitMemoryPlan.of(
                        model,
                        place(model, request, SETTINGS, PLENTY, PLENTY),
                        device -> info(device, PLENTY, PLENTY),
                        SETTINGS)
                .parts()
                .getFirst()
                .memory()
                .need()
                .totalBytes();
    }

    private static long whole(LayerSplitAdapter model, String device) {
        return bytes(model, request(device));
    }

    private static PlacementRequest expertsElsewhere(int layers) {
        return request("cuda:0")
                .with(
                        new TensorRules(
                                List.of(
                                        new TensorRule.Experts(
                                                Setting.N_CPU_MOE,
                                                new TensorRule.Layers.First(layers),
                                                DeviceReference.PROCESSOR))));
    }

    @Test
    void modelThatFitsStaysAsRequested() {
        PlacementFitter.Fitted fitted = fit(EXPERTS, "cuda:0", PLENTY, PLENTY);

        assertEquals(request("cuda:0"), fitted.request());
        assertEquals(List.of(), fitted.reasons());
    }

    @Test
    void expertsOfAsFewLayersAsPossibleMoveToTheProcessor() {
        long missing = 7 * LAYER / 2;

        PlacementFitter.Fitted fitted =
                fit(EXPERTS, "cuda:0", whole(EXPERTS, "cuda:0") - missing, PLENTY);

        String table = String.join("\n", fitted.reasons());
        assertTrue(table.contains("placed as with " + Setting.N_CPU_MOE + " 4 instead"), table);
        assertTrue(table.contains("layers 0 to 11 with the other experts"), table);
        assertTrue(table.contains("cpu:0   experts of layers 0 to 3"), table);
        assertEquals("[cuda:0]", fitted.request().devices().toString());
        assertEquals(WeightLayout.REPACKED, fitted.weights());
    }

    @Test
    void noFewerLayersThanChosenFit() {
        for (int layers = 1; layers <= 12; layers++) {
            long card = bytes(EXPERTS, expertsElsewhere(layers));

            PlacementFitter.Fitted fitted = fit(EXPERTS, "cuda:0", card, PLENTY);

            assertEquals(expertsElsewhere(layers), fitted.request());
        }
    }

    @Test
    void wholeLayersMoveIfAllElseDoesNotFitTheCard() {
        long card = bytes(EXPERTS, expertsElsewhere(12)) - 1;

        PlacementFitter.Fitted fitted = fit(EXPERTS, "cuda:0", card, PLENTY);

        assertEquals("[cuda:0, cpu:0]", fitted.request().devices().toString());
        assertEquals(Setting.CPU_MOE, fitted.request().tensors().rules().getFirst().setting());
        assertEquals(new SplitRule.Weights(List.of(11.0, 1.0)), fitted.request().split());
        String table = String.join("\n", fitted.reasons());
        assertTrue(table.contains(Setting.LAYER_SPLIT + " 11,1 " + Setting.CPU_MOE), table);
    }

    @Test
    void layersOfADenseModelMoveToTheProcessor() {
        KvSharingModel dense = new KvSharingModel(12, 4);

        PlacementFitter.Fitted fitted = fit(dense, "cuda:0", whole(dense, "cuda:0") - 1, PLENTY);

        assertEquals("[cuda:0, cpu:0]", fitted.request().devices().toString());
        assertTrue(fitted.request().tensors().isEmpty());
    }

    /**
     * A machine on which a copy between card and processor takes as long as several layers: the
     * processor computes whole layers faster than their experts alone.
     */
    private static DeviceSpeed slowCopies(DeviceReference device, TensorRules rules) {
        double layer = device.backend().equals("cpu") ? 4 : 1;
        double copies = rules.isEmpty() ? 0 : 20;
        ModelBlocks blocks = ModelBlocks.of(EXPERTS, rules);
        return new DeviceSpeed(
                StepTime.ZERO,
                Collections.nCopies(blocks.kindCount(), new StepTime(layer + copies, 0)));
    }

    @Test
    void wholeLayersMoveIfThatIsMeasuredToBeFaster() {
        long card = whole(EXPERTS, "cuda:0") - 3 * LAYER / 2;

        PlacementFitter.Fitted fitted =
                fit(EXPERTS, "cuda:0", card, PLENTY, PlacementFitterTest::slowCopies);

        assertEquals("[cuda:0, cpu:0]", fitted.request().devices().toString());
        assertTrue(fitted.request().tensors().isEmpty());
        String table = String.join("\n", fitted.reasons());
        assertTrue(table.contains(Setting.LAYER_SPLIT + " 11,1 instead:"), table);
        assertTrue(
                table.contains(
                        "measured: 66.7 tokens/s in decode, 19.2 with " + Setting.N_CPU_MOE + " 2"),
                table);
    }

    @Test
    void rulesDecideIfTheSpeedIsNotMeasured() {
        PlacementFitter.Fitted fitted =
                fit(EXPERTS, "cuda:0", whole(EXPERTS, "cuda:0") - LAYER, PLENTY);

        assertTrue(
                fitted.reasons().contains("the speed was not measured: cpu:0 is busy"),
                fitted.reasons().toString());
    }

    @Test
    void nothingIsMeasuredIfTheChoiceIsObvious() {
        KvSharingModel dense = new KvSharingModel(12, 4);
        PlacementFitter.SpeedMeter never =
                (device, rules) -> {
                    throw new AssertionError("measures " + device);
                };

        fit(EXPERTS, "cuda:0", PLENTY, PLENTY, never);
        PlacementFitter.Fitted fitted =
                fit(dense, "cuda:0", whole(dense, "cuda:0") - 1, PLENTY, never);

        assertEquals("[cuda:0, cpu:0]", fitted.request().devices().toString());
    }

    @Test
    void unequalCardsGetUnequalSharesBeforeAnythingMoves() {
        PlacementFitter.Fitted fitted =
                new PlacementFitter(
                                EXPERTS,
                                PlacementFitterTest::unequal,
                                (request, settings) ->
                                        new SplitPlanner(
                                                        EXPERTS,
                                                        () -> ModelBlocks.of(EXPERTS),
                                                        settings,
                                                        PlacementFitterTest::unequal,
                                                        device -> null)
                                                .place(request)
                                                .placement(),
                                settings -> settings,
                                PlacementFitterTest::refuse)
                        .fit(request("cuda:0,cuda:1"), SETTINGS);

        assertEquals(new SplitRule.Weights(List.of(9.0, 3.0)), fitted.request().split());
        assertTrue(fitted.request().tensors().isEmpty());
    }

    private static DeviceInfo unequal(DeviceReference device) {
        DeviceInfo plenty = info(device, PLENTY, PLENTY);
        LayerRange range = device.index() == 0 ? new LayerRange(0, 9) : new LayerRange(9, 12);
        long free = RangeMemory.of(EXPERTS, range, plenty, SETTINGS).bytes(512);
        return info(device, free, free);
    }

    @Test
    void expertsStayInTheFileIfTheHostDoesNotHoldThem() {
        long host = whole(EXPERTS, "cpu:0") - 6 * LAYER;

        for (String device : List.of("cpu:0", "cuda:0")) {
            PlacementFitter.Fitted fitted = fit(EXPERTS, device, 1 << 20, host);

            assertEquals("[cpu:0]", fitted.request().devices().toString());
            assertEquals(WeightLayout.STREAMED, fitted.weights());
            String table = String.join("\n", fitted.reasons());
            assertTrue(table.contains("file   experts of layers 0 to 11"), table);
            assertTrue(table.contains("layers 0 to 11 without experts"), table);
        }
    }

    @Test
    void refusalSaysWhatWasTriedAndWhatIsMissing() {
        VarveException refused =
                assertThrows(VarveException.class, () -> fit(EXPERTS, "cuda:0", 1 << 18, 1 << 18));

        assertEquals(VarveException.Kind.OUT_OF_MEMORY, refused.kind());
        String message = refused.getMessage();
        assertTrue(message.startsWith("cuda:0 layers [0, 12): weights"), message);
        assertTrue(message.contains("; nor does it with " + Setting.N_CPU_MOE + " 12: "), message);
        assertTrue(message.contains(Setting.WEIGHTS + " stream: cpu:0 layers"), message);
        assertTrue(message.contains("Free so much memory, or add a device"), message);
    }

    @Test
    void denseModelOnTheProcessorIsRefusedAsBefore() {
        KvSharingModel dense = new KvSharingModel(12, 4);

        VarveException refused =
                assertThrows(VarveException.class, () -> fit(dense, "cpu:0", 1, 1 << 16));

        assertTrue(!refused.getMessage().contains("nor does it with"), refused.getMessage());
    }
}
