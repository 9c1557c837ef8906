package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Experts of layers of several sizes on a card that does not hold all of them. */
class ExpertLayerChoiceTest {
    private static final ModelSettings SETTINGS = ModelSettings.single(256);
    private static final long PLENTY = 1L << 30;
    private static final DeviceReference CARD = DeviceReference.local("cuda", 0);

    private static DeviceInfo info(DeviceReference device, long card) {
        boolean isHost = device.backend().equals("cpu");
        long free = isHost ? PLENTY : card;
        return new DeviceInfo(device.device(), "", free, free, isHost);
    }

    private static Optional<SplitMemoryPlan> plan(
            UnevenExpertModel model, Placement placement, long card) {
        try {
            return Optional.of(
                    SplitMemoryPlan.of(model, placement, device -> info(device, card), SETTINGS));
        } catch (VarveException e) {
            return Optional.empty();
        }
    }

    private static Placement chosen(UnevenExpertModel model, long card) {
        PlacementFitter.Placer placer =
                (request, settings) ->
                        new SplitPlanner(
                                        model,
                                        () -> ModelBlocks.of(model, request.tensors()),
                                        settings,
                                        device -> info(device, card),
                                        device -> {
                                            throw new AssertionError("measures " + device);
                                        })
                                .place(request)
                                .placement();
        PlacementRequest request =
                new PlacementFitter(
                                model,
                                device -> info(device, card),
                                placer,
                                settings -> settings,
                                (device, rules) -> {
                                    throw new VarveException(
                                            VarveException.Kind.BACKEND_FAILED, "not measured");
                                })
                        .fit(PlacementRequest.of(List.of(CARD), new SplitRule.Equal()), SETTINGS)
                        .request();
        return placer.place(request, SETTINGS);
    }

    /** Returns the bytes of the whole model on the card. */
    private static long whole(UnevenExpertModel model) {
        return plan(model, Placement.single(CARD, model.shape().allLayers()), PLENTY)
                .orElseThrow()
                .parts()
                .getFirst()
                .memory()
                .need()
                .totalBytes();
    }

    @Test
    void lightestLayersAreMovedThatSuffice() {
        UnevenExpertModel model = new UnevenExpertModel(List.of(234, 160, 160, 160));
        long card = whole(model) - UnevenExpertModel.EXPERTS * model.expertBytes(1);

        Placement chosen = chosen(model, card);

        assertEquals(
                List.of(false, true, false, false),
                IntStream.range(0, 4)
                        .mapToObj(
                                layer ->
                                        chosen.parts()
                                                .getFirst()
                                                .tensors()
                                                .deviceOf("blk." + layer + ".ffn_up_exps.weight")
                                                .isPresent())
                        .toList());
    }
}
