package dev.varve.platform.plan;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.WeightLayout;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Finds a placement for a model that does not fit as requested. By rules it tries, in this order:
 * other shares of the layers; the experts of the first layers on the processor, as few as possible,
 * or those of other layers if they have fewer bytes; whole layers on the processor; experts from
 * the file. Then it measures the devices, unless the model has no experts and a single card, and
 * prefers the {@linkplain FastestPlacement fastest placement} if that is faster by more than the
 * measurements vary.
 */
public final class PlacementFitter {
    /**
     * A placement that fits.
     *
     * @param weights layout of the weights in memory
     * @param reasons lines for the operator: what is where, and what was given up; empty if the
     *     request fits as it is
     */
    public record Fitted(PlacementRequest request, WeightLayout weights, List<String> reasons) {
        /** Copies the lines. */
        public Fitted {
            reasons = List.copyOf(reasons);
        }

        /** Returns settings with this layout of the weights. */
        public ModelSettings in(ModelSettings settings) {
            return settings.with(settings.computation().with(weights));
        }
    }

    /**
     * Finds the ranges of a request.
     *
     * @see SplitPlanner#place
     */
    @FunctionalInterface
    public interface Placer {
        /** Returns the placement of a request. */
        Placement place(PlacementRequest request, ModelSettings settings);
    }

    /** Measures a device with a few layers of the model. */
    @FunctionalInterface
    public interface SpeedMeter {
        /**
         * Measures a device, or returns a cached measurement.
         *
         * @param rules devices of experts
         * @throws VarveException if the device cannot be measured
         */
        DeviceSpeed measure(DeviceReference device, TensorRules rules);
    }

    /**
     * Share of the time of the placement by rules below which the measured one is preferred: times
     * vary from start to start, and placements should not.
     */
    private static final double FASTER = 0.95;

    private final LayerSplitAdapter model;
    private final Function<DeviceReference, DeviceInfo> devices;
    private final PlacementCandidates candidates;
    private final PlacementTrial trial;
    private final SpeedMeter meter;

    /**
     * Creates a fitter for one model.
     *
     * @param devices properties of each device, including its free memory
     * @param sizing gives settings with streamed weights a size of the cache of experts
     * @param meter called if the model does not fit as requested, and the fastest placement is not
     *     obvious
     */
    public PlacementFitter(
            LayerSplitAdapter model,
            Function<DeviceReference, DeviceInfo> devices,
            Placer placer,
            UnaryOperator<ModelSettings> sizing,
            SpeedMeter meter) {
        this.model = model;
        this.devices = devices;
        candidates = new PlacementCandidates(model, devices);
        trial = new PlacementTrial(model, devices, placer, sizing);
        this.meter = meter;
    }

    /**
     * Returns the request if it fits, or the fastest placement that fits.
     *
     * @param request resolved
     * @throws VarveException of kind OUT_OF_MEMORY with the sums of the request and of the last
     *     resort if none fits
     */
    public Fitted fit(PlacementRequest request, ModelSettings settings) {
        WeightLayout layout = settings.computation().weights();
        Optional<VarveException> refused =
                trial.attempt(new PlacementCandidate("", request, layout), settings).failure();
        if (refused.isEmpty()) {
            return new Fitted(request, layout, List.of());
        }
        List<String> tried = new ArrayList<>();
        Optional<FittingPlacement> byRules = byRules(request, settings, tried);
        Optional<FittingPlacement> chosen =
                isMeasured(request, layout) ? measured(request, settings, byRules) : byRules;
        if (chosen.isEmpty()) {
            throw tried.isEmpty() ? refused.get() : refusal(refused.get(), tried);
        }
        return fitted(chosen.get(), refused.get());
    }

    /**
     * Returns the first placement of the steps that fits.
     *
     * @param tried receives the failures
     */
    private Optional<FittingPlacement> byRules(
            PlacementRequest request, ModelSettings settings, List<String> tried) {
        for (Stream<PlacementCandidate> step : candidates.steps(request, settings)) {
            List<PlacementCandidate> all = step.toList();
            for (PlacementCandidate candidate : all) {
                ModelSettings sized = trial.sized(candidate, settings);
                PlacementTrial.Attempt attempt = trial.attempt(candidate, sized);
                if (attempt.fitting().isPresent()) {
                    return trial.firstFitting(candidates.lighter(candidate), sized)
                            .or(attempt::fitting);
                }
                if (candidate == all.getLast()) {
                    tried.add(candidate.flags() + ": " + attempt.failure().get().getMessage());
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Whether placements are compared by their times. Of a model without experts on one card, the
     * fewest layers on the processor are the fastest.
     */
    private boolean isMeasured(PlacementRequest request, WeightLayout layout) {
        return (request.isSplit() || candidates.hasExperts())
                && request.tensors().isEmpty()
                && request.devices().stream().allMatch(DeviceReference::isLocal)
                && !request.devices().stream().allMatch(PlacementCandidates::isProcessor)
                && layout != WeightLayout.STREAMED
                && candidates.hasProcessor();
    }

    /** Returns the fastest placement, or the one by rules if that is about as fast. */
    private Optional<FittingPlacement> measured(
            PlacementRequest request, ModelSettings settings, Optional<FittingPlacement> byRules) {
        try {
            FastestPlacement fastest =
                    new FastestPlacement(model, devices, request.devices(), meter::measure);
            // The sums are estimates, so the plan of a placement may exceed a full memory.
            Optional<FittingPlacement> found =
                    Stream.of(1.0, 0.97, 0.9)
                            .flatMap(share -> fastest.find(request, settings, share).stream())
                            .flatMap(each -> fitting(each, settings).stream())
                            .findFirst();
            return found.flatMap(each -> preferred(each, byRules, fastest)).or(() -> byRules);
        } catch (VarveException e) {
            return byRules.map(
                    each -> each.because("the speed was not measured: " + e.getMessage()));
        }
    }

    /** Returns the measured placement, unless the one by rules is about as fast. */
    private static Optional<FittingPlacement> preferred(
            FittingPlacement found, Optional<FittingPlacement> byRules, FastestPlacement times) {
        Optional<FittingPlacement> inMemory =
                byRules.filter(each -> each.candidate().weights() != WeightLayout.STREAMED);
        if (inMemory.isEmpty()) {
            return Optional.of(found);
        }
        double millis = times.decodeMillis(found.placement());
        double others = times.decodeMillis(inMemory.get().placement());
        return millis < FASTER * others
                ? Optional.of(
                        found.because(
                                String.format(
                                        Locale.ROOT,
                                        "measured: %.1f tokens/s in decode, %.1f with %s",
                                        1000 / millis,
                                        1000 / others,
                                        inMemory.get().candidate().flags())))
                : Optional.empty();
    }

    private Optional<FittingPlacement> fitting(
            FastestPlacement.Found found, ModelSettings settings) {
        PlacementCandidate candidate =
                new PlacementCandidate(
                        found.flags(), found.request(), settings.computation().weights());
        return trial.attempt(candidate, settings).fitting();
    }

    private static VarveException refusal(VarveException refused, List<String> tried) {
        return new VarveException(
                refused.kind(),
                refused.getMessage()
                        + "; nor does it with "
                        + String.join("; nor with ", tried)
                        + ". Free so much memory, or add a device with "
                        + Setting.DEVICES,
                refused);
    }

    private Fitted fitted(FittingPlacement fitting, VarveException refused) {
        List<String> lines = new ArrayList<>();
        lines.add(Setting.FIT + ": " + refused.getMessage());
        lines.addAll(fitting.notes());
        lines.add("placed as with " + fitting.candidate().flags() + " instead:");
        lines.addAll(
                new PlacementTable(model, devices, fitting.sized()).lines(fitting.placement()));
        return new Fitted(fitting.candidate().request(), fitting.candidate().weights(), lines);
    }
}
