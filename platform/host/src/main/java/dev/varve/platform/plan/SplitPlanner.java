package dev.varve.platform.plan;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LayerPartitioner;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.ProcessLocation;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.RangeMemory;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.KvSlotSpan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Turns a placement request into layer ranges on devices, and forecasts their speed. */
public final class SplitPlanner {
    /**
     * A placement and its reasons.
     *
     * @param reasons for messages; empty if the request was followed as it is
     */
    public record Placed(Placement placement, List<String> reasons) {}

    private final LayerSplitAdapter model;
    private final Supplier<ModelBlocks> blocks;
    private final ModelSettings settings;
    private final Function<DeviceReference, DeviceInfo> devices;
    private final DeviceProbe probe;
    private final Map<String, Measurement> speeds = new HashMap<>();

    /**
     * Creates a planner for one model.
     *
     * @param blocks called if the split is automatic
     * @param devices properties of each device, including its free memory
     * @param probe called at most once per device
     */
    public SplitPlanner(
            LayerSplitAdapter model,
            Supplier<ModelBlocks> blocks,
            ModelSettings settings,
            Function<DeviceReference, DeviceInfo> devices,
            DeviceProbe probe) {
        this.model = model;
        this.blocks = blocks;
        this.settings = settings;
        this.devices = devices;
        this.probe = probe;
    }

    /**
     * Decides on the ranges; measures devices only if the split is automatic.
     *
     * @param request resolved
     * @throws IllegalArgumentException that begins with a flag if there are more devices than
     *     layers, or a rule for weights does not fit the model
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY with the sums if no automatic
     *     split fits
     */
    public Placed place(PlacementRequest request) {
        List<DeviceReference> on = request.devices();
        int layers = model.shape().layerCount();
        LayerPartitioner.Aligned aligned =
                switch (request.split()) {
                    case SplitRule.Equal() ->
                            LayerPartitioner.align(
                                    model, LayerPartitioner.split(layers, on.size()));
                    case SplitRule.Weights(var weights) ->
                            LayerPartitioner.align(
                                    model, LayerPartitioner.split(layers, on.size(), weights));
                    case SplitRule.Automatic() -> automatic(on, request.tensors());
                };
        Placement placement = request.tensors().apply(Placement.of(on, aligned.ranges()), model);
        List<String> reasons = new ArrayList<>(aligned.moved().stream().toList());
        if (!request.tensors().isEmpty() && !placement.isSpread()) {
            reasons.add(
                    request.tensors().rules().getFirst().setting()
                            + " has no effect: all weights are on the device of their layer");
        }
        return new Placed(placement, reasons);
    }

    private LayerPartitioner.Aligned automatic(List<DeviceReference> on, TensorRules rules) {
        // Rejects a model that cannot be split into so many parts, with the family's reason.
        List<LayerRange> equal =
                LayerPartitioner.align(
                                model,
                                LayerPartitioner.split(model.shape().layerCount(), on.size()))
                        .ranges();
        int most = RangeMemory.mostSlots(model.shape(), settings);
        int slots = KvSlotSpan.roundUp(settings.sequences().kvTokens().orElse(most));
        List<SplitOptimizer.Candidate> candidates = new ArrayList<>();
        List<Measurement> measurements = new ArrayList<>();
        List<SplitOptimizer.Needs> needs = new ArrayList<>();
        Map<String, Long> others = new HashMap<>();
        for (DeviceReference device : on) {
            DeviceInfo info = devices.apply(device);
            measurements.add(measurement(device));
            candidates.add(
                    new SplitOptimizer.Candidate(
                            measurements.getLast().speed(),
                            SplitMemoryPlan.memoryOf(device, info),
                            SplitMemoryPlan.memoryForShards(device, info, settings)));
            Placement.Part all =
                    rules.apply(new Placement.Part(device, model.shape().allLayers()), model);
            needs.add(range -> needs(all, range, slots));
            for (String name : all.tensors().others()) {
                DeviceInfo other = devices.apply(all.other(name));
                others.put(
                        SplitMemoryPlan.memoryOf(all.other(name), other),
                        SplitMemoryPlan.memoryForShards(all.other(name), other, settings));
            }
        }
        Optional<List<LayerRange>> chosen =
                new SplitOptimizer(blocks.get(), candidates, needs, others).choose();
        if (chosen.isEmpty()) {
            SplitMemoryPlan.of(
                    model, rules.apply(Placement.of(on, equal), model), devices, settings);
        }
        List<LayerRange> ranges = chosen.orElse(equal);
        return new LayerPartitioner.Aligned(
                ranges,
                Optional.of("automatic split: " + explain(on, candidates, measurements, ranges)));
    }

    /**
     * Returns the least memory of a range by the name of the memory.
     *
     * @param all the whole model on the device of the range
     */
    private Map<String, Long> needs(Placement.Part all, LayerRange range, int slots) {
        boolean shares = SplitMemoryPlan.sharesWeights(all.device());
        DeviceInfo info = devices.apply(all.device());
        Map<String, Long> needs = new HashMap<>();
        needs.put(
                SplitMemoryPlan.memoryOf(all.device(), info),
                RangeMemory.of(model, range, all.tensors(), info, settings)
                        .replicated(settings.replicas(), shares)
                        .bytes(slots));
        for (String name : all.tensors().others()) {
            DeviceReference other = all.other(name);
            needs.merge(
                    SplitMemoryPlan.memoryOf(other, devices.apply(other)),
                    RangeMemory.elsewhere(model, range, all.tensors(), name, settings)
                            .replicated(settings.replicas(), shares)
                            .totalBytes(),
                    Long::sum);
        }
        return needs;
    }

    private String explain(
            List<DeviceReference> on,
            List<SplitOptimizer.Candidate> candidates,
            List<Measurement> measurements,
            List<LayerRange> ranges) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < on.size(); i++) {
            StepTime all = candidates.get(i).speed().of(blocks.get(), model.shape().allLayers());
            parts.add(
                    String.format(
                            Locale.ROOT,
                            "%s gets layers %s (alone it would decode %.1f and prefill %.1f"
                                    + " tokens/s, %s; %s free)",
                            on.get(i),
                            ranges.get(i),
                            1000 / all.decodeMillis(),
                            1000 * StepTime.CHUNK / all.prefillMillis(),
                            measurements.get(i).describe(),
                            ByteCount.format(candidates.get(i).freeBytes())));
        }
        return String.join(", ", parts)
                + (measurements.stream().anyMatch(Measurement::isLoaded)
                        ? "; " + Setting.MEASURE_AGAIN + " measures again"
                        : "");
    }

    private Measurement measurement(DeviceReference device) {
        // A child process computes on a device as fast as this process.
        String name =
                device.site() instanceof ProcessLocation.Listening
                        ? device.toString()
                        : device.device();
        return speeds.computeIfAbsent(name, unknown -> probe.measure(device));
    }

    /**
     * Forecasts memory and speed of a request; loads a few layers per device to measure it.
     *
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY with the sums if it does not fit
     */
    public SplitForecast forecast(PlacementRequest request) {
        Placed placed = place(request);
        SplitMemoryPlan memory = SplitMemoryPlan.of(model, placed.placement(), devices, settings);
        List<SplitForecast.Part> parts = new ArrayList<>();
        for (SplitMemoryPlan.Part part : memory.parts()) {
            DeviceReference device = part.where().device();
            parts.add(
                    new SplitForecast.Part(
                            part,
                            measurement(device).speed().of(blocks.get(), part.where().range()),
                            measurement(device),
                            SplitMemoryPlan.memoryOf(device, devices.apply(device))));
        }
        return new SplitForecast(
                parts,
                placed.reasons(),
                memory.hostCache(),
                memory.pool(),
                memory.replicas(),
                0,
                Optional.empty());
    }
}
