package dev.varve.platform.plan;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Plans the memory of candidates, and thereby finds out whether they fit. */
final class PlacementTrial {
    private final LayerSplitAdapter model;
    private final Function<DeviceReference, DeviceInfo> devices;
    private final PlacementFitter.Placer placer;
    private final UnaryOperator<ModelSettings> sizing;

    /**
     * @param devices properties of each device, including its free memory
     * @param sizing gives settings with streamed weights a size of the cache of experts
     */
    PlacementTrial(
            LayerSplitAdapter model,
            Function<DeviceReference, DeviceInfo> devices,
            PlacementFitter.Placer placer,
            UnaryOperator<ModelSettings> sizing) {
        this.model = model;
        this.devices = devices;
        this.placer = placer;
        this.sizing = sizing;
    }

    /** Result of planning a candidate: one of both is present. */
    record Attempt(Optional<FittingPlacement> fitting, Optional<VarveException> failure) {}

    /** Returns settings with the candidate's layout of the weights. */
    ModelSettings sized(PlacementCandidate candidate, ModelSettings settings) {
        return sizing.apply(settings.with(settings.computation().with(candidate.weights())));
    }

    /**
     * Plans a candidate.
     *
     * @param sized settings with its layout of the weights
     * @throws VarveException if it fails for another reason than memory
     */
    Attempt attempt(PlacementCandidate candidate, ModelSettings sized) {
        try {
            Placement placement = placer.place(candidate.request(), sized);
            SplitMemoryPlan plan = SplitMemoryPlan.of(model, placement, devices, sized);
            Placement planned =
                    new Placement(plan.parts().stream().map(SplitMemoryPlan.Part::where).toList());
            return new Attempt(
                    Optional.of(new FittingPlacement(candidate, sized, planned, List.of())),
                    Optional.empty());
        } catch (VarveException e) {
            if (e.kind() != VarveException.Kind.OUT_OF_MEMORY) {
                throw e;
            }
            return new Attempt(Optional.empty(), Optional.of(e));
        }
    }

    /** Returns the first candidate that fits, with these settings. */
    Optional<FittingPlacement> firstFitting(
            List<PlacementCandidate> candidates, ModelSettings sized) {
        return candidates.stream()
                .flatMap(candidate -> attempt(candidate, sized).fitting().stream())
                .findFirst();
    }
}
