package dev.varve.platform.plan;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.setting.Setting;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Shares of the layers that fill the devices of a request in turn. */
final class LayerShares {
    private final LayerSplitAdapter model;
    private final Function<DeviceReference, DeviceInfo> devices;

    /**
     * @param devices properties of each device, including its free memory
     */
    LayerShares(LayerSplitAdapter model, Function<DeviceReference, DeviceInfo> devices) {
        this.model = model;
        this.devices = devices;
    }

    /** Returns the share that fills the devices in turn; empty if they do not hold the model. */
    List<PlacementCandidate> filling(PlacementRequest request, ModelSettings settings) {
        List<Integer> counts = filled(request, settings);
        int sum = counts.stream().mapToInt(Integer::intValue).sum();
        return sum < model.shape().layerCount()
                ? List.of()
                : List.of(split(request, request.devices(), counts, settings));
    }

    /** Returns placements with the last layers on the processor, with the fewest first. */
    Stream<PlacementCandidate> spilling(PlacementRequest request, ModelSettings settings) {
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

    private static PlacementCandidate split(
            PlacementRequest request,
            List<DeviceReference> devices,
            List<Integer> counts,
            ModelSettings settings) {
        String shares = String.join(",", counts.stream().map(String::valueOf).toList());
        String names = String.join(",", devices.stream().map(String::valueOf).toList());
        String experts = request.tensors().isEmpty() ? "" : " " + Setting.CPU_MOE;
        return new PlacementCandidate(
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
