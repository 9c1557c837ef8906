package dev.varve.platform.placement;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.TensorPlacement;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Assignment of layer ranges to devices.
 *
 * @param parts in layer order; the ranges follow each other from layer 0 to the model's last
 */
public record Placement(List<Part> parts) {
    /**
     * A device and its layer range.
     *
     * @param tensors weights of the range that another device of the same process holds
     */
    public record Part(DeviceReference device, LayerRange range, TensorPlacement tensors) {
        /** Checks that nothing is missing. */
        public Part {
            Objects.requireNonNull(device);
            Objects.requireNonNull(range);
            Objects.requireNonNull(tensors);
        }

        /** Creates a part with all weights on its device. */
        public Part(DeviceReference device, LayerRange range) {
            this(device, range, TensorPlacement.NONE);
        }

        /** Returns the other device that holds some of the weights, in the part's process. */
        public DeviceReference other(String name) {
            return DeviceReference.parse(name).at(device.site());
        }

        @Override
        public String toString() {
            return device + " layers " + range;
        }
    }

    /** Checks that the ranges follow each other from layer 0 on. */
    public Placement {
        parts = List.copyOf(parts);
        int next = 0;
        for (Part part : parts) {
            if (part.range().begin() != next) {
                throw new IllegalArgumentException(part + " does not begin at layer " + next);
            }
            next = part.range().end();
        }
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a placement needs a device");
        }
    }

    /** Whether another device than that of its layer holds some weight. */
    public boolean isSpread() {
        return parts.stream().anyMatch(part -> !part.tensors().isEmpty());
    }

    /** Names of the devices in layer order, separated by commas. */
    public String devices() {
        return parts.stream()
                .map(part -> part.device().toString())
                .collect(Collectors.joining(","));
    }

    /** Creates a placement from devices and their ranges, in the same order. */
    public static Placement of(List<DeviceReference> devices, List<LayerRange> ranges) {
        if (devices.size() != ranges.size()) {
            throw new IllegalArgumentException(
                    "expected one layer range per device, found devices "
                            + devices
                            + ", layers "
                            + ranges);
        }
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i++) {
            parts.add(new Part(devices.get(i), ranges.get(i)));
        }
        return new Placement(parts);
    }

    /** Creates a placement on one device. */
    public static Placement single(DeviceReference device, LayerRange range) {
        return new Placement(List.of(new Part(device, range)));
    }
}
