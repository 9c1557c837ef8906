package dev.varve.platform.plan;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.shard.TensorPlacement;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Decode times of a model's blocks on each device, with their experts on it or on the processor.
 *
 * @param blocks blocks of the model
 * @param kinds per block a number; blocks with the same number have equal weights
 * @param devices times by device
 */
record PlacementTimes(
        List<LayerRange> blocks, List<Integer> kinds, Map<DeviceReference, OnDevice> devices) {
    /** Copies lists and map. */
    PlacementTimes {
        blocks = List.copyOf(blocks);
        kinds = List.copyOf(kinds);
        devices = Map.copyOf(devices);
    }

    /**
     * Times of a token on a device.
     *
     * @param shardMillis part that does not depend on the blocks
     * @param millis per block, with all weights on the device
     * @param movedMillis per block, with its experts on the processor
     */
    record OnDevice(double shardMillis, List<Double> millis, List<Double> movedMillis) {
        /** Copies the lists. */
        OnDevice {
            millis = List.copyOf(millis);
            movedMillis = List.copyOf(movedMillis);
        }
    }

    /**
     * Measures devices with a few layers of the model.
     *
     * @param elsewhere rules for all experts to be on the processor; none if the model has none
     * @param speeds measures a device with rules for experts
     * @throws dev.varve.api.VarveException if a device cannot be measured
     */
    static PlacementTimes measure(
            LayerSplitAdapter model,
            List<DeviceReference> devices,
            TensorRules elsewhere,
            BiFunction<DeviceReference, TensorRules, DeviceSpeed> speeds) {
        ModelBlocks plain = ModelBlocks.of(model);
        ModelBlocks moved = ModelBlocks.of(model, elsewhere);
        Map<DeviceReference, OnDevice> times = new HashMap<>();
        for (DeviceReference device : devices) {
            DeviceSpeed speed = speeds.apply(device, TensorRules.NONE);
            boolean isAlike =
                    elsewhere.isEmpty()
                            || device.backend().equals(DeviceReference.PROCESSOR.backend());
            times.computeIfAbsent(
                    device,
                    each ->
                            new OnDevice(
                                    speed.perShard().decodeMillis(),
                                    millis(plain, speed),
                                    isAlike
                                            ? millis(plain, speed)
                                            : millis(moved, speeds.apply(device, elsewhere))));
        }
        return new PlacementTimes(plain.blocks(), plain.kinds(), times);
    }

    private static List<Double> millis(ModelBlocks blocks, DeviceSpeed speed) {
        return blocks.kinds().stream().map(kind -> speed.kinds().get(kind).decodeMillis()).toList();
    }

    /** Returns the time of a token with a placement on these devices. */
    double decodeMillis(Placement placement) {
        double sum = 0;
        for (Placement.Part part : placement.parts()) {
            OnDevice times = devices.get(part.device());
            sum += times.shardMillis();
            for (int i = 0; i < blocks.size(); i++) {
                if (part.range().contains(blocks.get(i).begin())) {
                    sum +=
                            isMoved(part.tensors(), blocks.get(i))
                                    ? times.movedMillis().get(i)
                                    : times.millis().get(i);
                }
            }
        }
        return sum;
    }

    private static boolean isMoved(TensorPlacement tensors, LayerRange block) {
        return IntStream.range(block.begin(), block.end())
                .mapToObj(layer -> "blk." + layer + ".")
                .anyMatch(
                        begin ->
                                tensors.devices().keySet().stream()
                                        .anyMatch(name -> name.startsWith(begin)));
    }
}
