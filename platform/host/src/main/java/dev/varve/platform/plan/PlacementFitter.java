package dev.varve.platform.plan;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.placement.TensorRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertCacheShare;
import dev.varve.platform.shard.WeightLayout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
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

    /** Something to try. */
    private record Candidate(String flags, PlacementRequest request, WeightLayout weights) {}

    private final LayerSplitAdapter model;
    private final Function<DeviceReference, DeviceInfo> devices;
    private final Placer placer;
    private final UnaryOperator<ModelSettings> sizing;
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
        this.placer = placer;
        this.sizing = sizing;
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
        Optional<VarveException> refused = tryOut(request, settings).failure();
        if (refused.isEmpty()) {
            return new Fitted(request, layout, List.of());
        }
        List<String> tried = new ArrayList<>();
        Optional<Fitting> byRules = byRules(request, settings, tried);
        Optional<Fitting> chosen =
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
    private Optional<Fitting> byRules(
            PlacementRequest request, ModelSettings settings, List<String> tried) {
        for (Stream<Candidate> step : steps(request, settings)) {
            List<Candidate> all = step.toList();
            for (Candidate candidate : all) {
                ModelSettings sized = sized(candidate, settings);
                Attempt attempt = tryOut(candidate.request(), sized);
                if (attempt.placement().isPresent()) {
                    return lighter(candidate, sized).or(() -> fitting(candidate, sized, attempt));
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
        return (request.isSplit() || experts() > 0)
                && request.tensors().isEmpty()
                && request.devices().stream().allMatch(DeviceReference::isLocal)
                && !request.devices().stream().allMatch(PlacementFitter::isProcessor)
                && layout != WeightLayout.STREAMED
                && hasProcessor();
    }

    /** Returns the fastest placement, or the one by rules if that is about as fast. */
    private Optional<Fitting> measured(
            PlacementRequest request, ModelSettings settings, Optional<Fitting> byRules) {
        try {
            FastestPlacement fastest =
                    new FastestPlacement(model, devices, request.devices(), meter::measure);
            // The sums are estimates, so the plan of a placement may exceed a full memory.
            Optional<Fitting> found =
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
    private static Optional<Fitting> preferred(
            Fitting found, Optional<Fitting> byRules, FastestPlacement times) {
        Optional<Fitting> inMemory =
                byRules.filter(each -> each.candidate.weights() != WeightLayout.STREAMED);
        if (inMemory.isEmpty()) {
            return Optional.of(found);
        }
        double millis = times.decodeMillis(found.placement);
        double others = times.decodeMillis(inMemory.get().placement);
        return millis < FASTER * others
                ? Optional.of(
                        found.because(
                                String.format(
                                        Locale.ROOT,
                                        "measured: %.1f tokens/s in decode, %.1f with %s",
                                        1000 / millis,
                                        1000 / others,
                                        inMemory.get().candidate.flags())))
                : Optional.empty();
    }

    /** A candidate that fits. */
    private record Fitting(
            Candidate candidate, ModelSettings sized, Placement placement, List<String> notes) {
        Fitting because(String note) {
            return new Fitting(candidate, sized, placement, List.of(note));
        }
    }

    private Optional<Fitting> fitting(FastestPlacement.Found found, ModelSettings settings) {
        Candidate candidate =
                new Candidate(found.flags(), found.request(), settings.computation().weights());
        return fitting(candidate, settings, tryOut(found.request(), settings));
    }

    private static Optional<Fitting> fitting(
            Candidate candidate, ModelSettings sized, Attempt attempt) {
        return attempt.placement()
                .map(placement -> new Fitting(candidate, sized, placement, List.of()));
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

    private Fitted fitted(Fitting fitting, VarveException refused) {
        List<String> lines = new ArrayList<>();
        lines.add(Setting.FIT + ": " + refused.getMessage());
        lines.addAll(fitting.notes);
        lines.add("placed as with " + fitting.candidate.flags() + " instead:");
        lines.addAll(new PlacementTable(model, devices, fitting.sized).lines(fitting.placement));
        return new Fitted(fitting.candidate.request(), fitting.candidate.weights(), lines);
    }

    /** Returns a placement that moves fewer bytes of experts than those of the first layers. */
    private Optional<Fitting> lighter(Candidate candidate, ModelSettings sized) {
        List<TensorRule> rules = candidate.request().tensors().rules();
        if (rules.size() == 1
                && rules.getFirst() instanceof TensorRule.Experts experts
                && experts.layers() instanceof TensorRule.Layers.First first) {
            for (ExpertLayerChoice choice :
                    ExpertLayerChoice.lighterThanFirst(model, first.count())) {
                Candidate other = named(candidate, choice, experts.device());
                Attempt attempt = tryOut(other.request(), sized);
                if (attempt.placement().isPresent()) {
                    return fitting(other, sized, attempt);
                }
            }
        }
        return Optional.empty();
    }

    private static Candidate named(
            Candidate candidate, ExpertLayerChoice choice, DeviceReference device) {
        TensorRule rule = new TensorRule.Named(Pattern.compile(choice.expression()), device);
        return new Candidate(
                Setting.OVERRIDE_TENSOR + " '" + rule + "'",
                candidate.request().with(new TensorRules(List.of(rule))),
                candidate.weights());
    }

    private ModelSettings sized(Candidate candidate, ModelSettings settings) {
        return sizing.apply(settings.with(settings.computation().with(candidate.weights())));
    }

    /** Result of planning a candidate: one of both is present. */
    private record Attempt(Optional<Placement> placement, Optional<VarveException> failure) {}

    private Attempt tryOut(PlacementRequest request, ModelSettings settings) {
        try {
            Placement placement = placer.place(request, settings);
            SplitMemoryPlan plan = SplitMemoryPlan.of(model, placement, devices, settings);
            return new Attempt(
                    Optional.of(
                            new Placement(
                                    plan.parts().stream()
                                            .map(SplitMemoryPlan.Part::where)
                                            .toList())),
                    Optional.empty());
        } catch (VarveException e) {
            if (e.kind() != VarveException.Kind.OUT_OF_MEMORY) {
                throw e;
            }
            return new Attempt(Optional.empty(), Optional.of(e));
        }
    }

    /** Returns the steps; each is a list of candidates of which the first that fits is the best. */
    private List<Stream<Candidate>> steps(PlacementRequest request, ModelSettings settings) {
        WeightLayout layout = settings.computation().weights();
        boolean hasExperts = experts() > 0;
        boolean isHost = request.devices().stream().allMatch(PlacementFitter::isProcessor);
        boolean isHere = request.devices().stream().allMatch(DeviceReference::isLocal);
        boolean isFree = request.tensors().isEmpty();
        boolean hasProcessor = hasProcessor();
        List<Stream<Candidate>> steps = new ArrayList<>();
        if (request.isSplit() && isHere && request.split() instanceof SplitRule.Equal) {
            steps.add(shares(request, settings).stream());
        }
        if (hasExperts && isFree && !isHost && hasProcessor) {
            steps.add(
                    request.split() instanceof SplitRule.Automatic
                            ? Stream.of(allExperts(request, layout))
                            : firstExperts(request, layout));
        }
        boolean isCards = request.devices().stream().noneMatch(PlacementFitter::isProcessor);
        if (isHere && isCards && hasProcessor) {
            PlacementRequest spread =
                    hasExperts && isFree ? allExperts(request, layout).request() : request;
            steps.add(layers(spread, settings));
        }
        if (hasExperts && isFree && isHere && hasProcessor && layout != WeightLayout.STREAMED) {
            steps.add(Stream.of(streamed(request)));
        }
        return steps;
    }

    private static boolean isProcessor(DeviceReference device) {
        return device.backend().equals(DeviceReference.PROCESSOR.backend());
    }

    /** Whether this process has the backend of the processor. */
    private boolean hasProcessor() {
        try {
            return devices.apply(DeviceReference.PROCESSOR).hostCores();
        } catch (VarveException e) {
            return false;
        }
    }

    private long experts() {
        return ExpertCacheShare.expertBytes(model.tensors(model.shape().allLayers()));
    }

    private Stream<Candidate> firstExperts(PlacementRequest request, WeightLayout layout) {
        return Stream.iterate(1, count -> count <= model.shape().layerCount(), count -> count + 1)
                .map(
                        count ->
                                new Candidate(
                                        Setting.N_CPU_MOE + " " + count,
                                        request.with(
                                                rules(
                                                        Setting.N_CPU_MOE,
                                                        new TensorRule.Layers.First(count))),
                                        layout));
    }

    private static Candidate allExperts(PlacementRequest request, WeightLayout layout) {
        return new Candidate(
                Setting.CPU_MOE.toString(),
                request.with(rules(Setting.CPU_MOE, new TensorRule.Layers.All())),
                layout);
    }

    private static TensorRules rules(Setting setting, TensorRule.Layers layers) {
        return new TensorRules(
                List.of(new TensorRule.Experts(setting, layers, DeviceReference.PROCESSOR)));
    }

    private static Candidate streamed(PlacementRequest request) {
        return new Candidate(
                Setting.DEVICE
                        + " "
                        + DeviceReference.PROCESSOR
                        + " "
                        + Setting.WEIGHTS
                        + " stream",
                request.on(List.of(DeviceReference.PROCESSOR), new SplitRule.Equal()),
                WeightLayout.STREAMED);
    }

    /** Returns the share that fills the devices in turn; empty if they do not hold the model. */
    private List<Candidate> shares(PlacementRequest request, ModelSettings settings) {
        List<Integer> counts = filled(request, settings);
        int sum = counts.stream().mapToInt(Integer::intValue).sum();
        return sum < model.shape().layerCount()
                ? List.of()
                : List.of(split(request, request.devices(), counts, settings));
    }

    /** Returns placements with the last layers on the processor, with the fewest first. */
    private Stream<Candidate> layers(PlacementRequest request, ModelSettings settings) {
        List<DeviceReference> devices = new ArrayList<>(request.devices());
        devices.add(DeviceReference.PROCESSOR);
        List<Integer> counts = filled(request, settings);
        int layers = model.shape().layerCount();
        int most = Math.min(layers - 1, counts.stream().mapToInt(Integer::intValue).sum());
        return Stream.iterate(most, sum -> sum >= request.devices().size(), sum -> sum - 1)
                .map(
                        sum -> {
                            List<Integer> shares = reduced(counts, sum);
                            shares.add(layers - sum);
                            return split(request, devices, shares, settings);
                        });
    }

    /** Takes layers from the largest shares. */
    private static List<Integer> reduced(List<Integer> counts, int sum) {
        List<Integer> shares = new ArrayList<>(counts);
        int over = counts.stream().mapToInt(Integer::intValue).sum() - sum;
        for (int i = 0; i < over; i++) {
            int largest = shares.indexOf(Collections.max(shares));
            shares.set(largest, shares.get(largest) - 1);
        }
        return shares;
    }

    private static Candidate split(
            PlacementRequest request,
            List<DeviceReference> devices,
            List<Integer> counts,
            ModelSettings settings) {
        String shares = String.join(",", counts.stream().map(String::valueOf).toList());
        String names = String.join(",", devices.stream().map(String::valueOf).toList());
        String experts = request.tensors().isEmpty() ? "" : " " + Setting.CPU_MOE;
        return new Candidate(
                Setting.DEVICES + " " + names + " " + Setting.LAYER_SPLIT + " " + shares + experts,
                request.on(
                        devices,
                        new SplitRule.Weights(counts.stream().map(Integer::doubleValue).toList())),
                settings.computation().weights());
    }

    /** Returns how many layers each device holds in turn, at least one. */
    private List<Integer> filled(PlacementRequest request, ModelSettings settings) {
        int layers = model.shape().layerCount();
        List<Placement.Part> parts = new ArrayList<>();
        for (int i = 0; i < request.devices().size(); i++) {
            int begin = parts.isEmpty() ? 0 : parts.getLast().range().end();
            int last = layers - (request.devices().size() - 1 - i);
            int end = begin + 1;
            while (end < last && fits(parts, part(request, i, begin, end + 1), settings)) {
                end++;
            }
            parts.add(part(request, i, begin, end));
        }
        return new ArrayList<>(
                parts.stream().map(part -> part.range().end() - part.range().begin()).toList());
    }

    private Placement.Part part(PlacementRequest request, int device, int begin, int end) {
        return request.tensors()
                .apply(
                        new Placement.Part(
                                request.devices().get(device), new LayerRange(begin, end)),
                        model);
    }

    private boolean fits(List<Placement.Part> before, Placement.Part part, ModelSettings settings) {
        List<Placement.Part> parts = new ArrayList<>(before);
        parts.add(part);
        try {
            SplitMemoryPlan.of(model, new Placement(parts), devices, settings);
            return true;
        } catch (VarveException e) {
            return false;
        }
    }
}
