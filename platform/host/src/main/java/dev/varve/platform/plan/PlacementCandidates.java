package dev.varve.platform.plan;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.placement.TensorRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertCacheShare;
import dev.varve.platform.shard.WeightLayout;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Lists the placements to try for a model that does not fit as requested, in order: other shares of
 * the layers; the experts of the first layers on the processor; whole layers on the processor;
 * experts from the file.
 */
final class PlacementCandidates {
    private final LayerSplitAdapter model;
    private final Function<DeviceReference, DeviceInfo> devices;
    private final LayerShares shares;

    /**
     * @param devices properties of each device, including its free memory
     */
    PlacementCandidates(LayerSplitAdapter model, Function<DeviceReference, DeviceInfo> devices) {
        this.model = model;
        this.devices = devices;
        shares = new LayerShares(model, devices);
    }

    /** Returns the steps; each is a list of candidates of which the first that fits is the best. */
    List<Stream<PlacementCandidate>> steps(PlacementRequest request, ModelSettings settings) {
        WeightLayout layout = settings.computation().weights();
        boolean hasExperts = hasExperts();
        boolean isHost = request.devices().stream().allMatch(PlacementCandidates::isProcessor);
        boolean isHere = request.devices().stream().allMatch(DeviceReference::isLocal);
        boolean isFree = request.tensors().isEmpty();
        boolean hasProcessor = hasProcessor();
        List<Stream<PlacementCandidate>> steps = new ArrayList<>();
        if (request.isSplit() && isHere && request.split() instanceof SplitRule.Equal) {
            steps.add(shares.filling(request, settings).stream());
        }
        if (hasExperts && isFree && !isHost && hasProcessor) {
            steps.add(
                    request.split() instanceof SplitRule.Automatic
                            ? Stream.of(allExperts(request, layout))
                            : firstExperts(request, layout));
        }
        boolean isCards = request.devices().stream().noneMatch(PlacementCandidates::isProcessor);
        if (isHere && isCards && hasProcessor) {
            PlacementRequest spread =
                    hasExperts && isFree ? allExperts(request, layout).request() : request;
            steps.add(shares.spilling(spread, settings));
        }
        if (hasExperts && isFree && isHere && hasProcessor && layout != WeightLayout.STREAMED) {
            steps.add(Stream.of(streamed(request)));
        }
        return steps;
    }

    /** Returns placements that move fewer bytes of experts than those of the first layers. */
    List<PlacementCandidate> lighter(PlacementCandidate candidate) {
        List<TensorRule> rules = candidate.request().tensors().rules();
        if (rules.size() == 1
                && rules.getFirst() instanceof TensorRule.Experts experts
                && experts.layers() instanceof TensorRule.Layers.First first) {
            return ExpertLayerChoice.lighterThanFirst(model, first.count()).stream()
                    .map(choice -> named(candidate, choice, experts.device()))
                    .toList();
        }
        return List.of();
    }

    private static PlacementCandidate named(
            PlacementCandidate candidate, ExpertLayerChoice choice, DeviceReference device) {
        TensorRule rule = new TensorRule.Named(Pattern.compile(choice.expression()), device);
        return new PlacementCandidate(
                Setting.OVERRIDE_TENSOR + " '" + rule + "'",
                candidate.request().with(new TensorRules(List.of(rule))),
                candidate.weights());
    }

    /** Whether a device is a processor. */
    static boolean isProcessor(DeviceReference device) {
        return device.backend().equals(DeviceReference.PROCESSOR.backend());
    }

    /** Whether this process has the backend of the processor. */
    boolean hasProcessor() {
        try {
            return devices.apply(DeviceReference.PROCESSOR).hostCores();
        } catch (VarveException e) {
            return false;
        }
    }

    /** Whether the model has experts. */
    boolean hasExperts() {
        return ExpertCacheShare.expertBytes(model.tensors(model.shape().allLayers())) > 0;
    }

    private Stream<PlacementCandidate> firstExperts(PlacementRequest request, WeightLayout layout) {
        return Stream.iterate(1, count -> count <= model.shape().layerCount(), count -> count + 1)
                .map(
                        count ->
                                new PlacementCandidate(
                                        Setting.N_CPU_MOE + " " + count,
                                        request.with(
                                                rules(
                                                        Setting.N_CPU_MOE,
                                                        new TensorRule.Layers.First(count))),
                                        layout));
    }

    private static PlacementCandidate allExperts(PlacementRequest request, WeightLayout layout) {
        return new PlacementCandidate(
                Setting.CPU_MOE.toString(),
                request.with(rules(Setting.CPU_MOE, new TensorRule.Layers.All())),
                layout);
    }

    private static TensorRules rules(Setting setting, TensorRule.Layers layers) {
        return new TensorRules(
                List.of(new TensorRule.Experts(setting, layers, DeviceReference.PROCESSOR)));
    }

    private static PlacementCandidate streamed(PlacementRequest request) {
        return new PlacementCandidate(
                Setting.DEVICE
                        + " "
                        + DeviceReference.PROCESSOR
                        + " "
                        + Setting.WEIGHTS
                        + " stream",
                request.on(List.of(DeviceReference.PROCESSOR), new SplitRule.Equal()),
                WeightLayout.STREAMED);
    }
}
