package dev.varve.platform.placement;

import dev.varve.api.model.LayerRange;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Assignment of layer ranges to devices.
 *
 * @param parts in layer order; the ranges follow each other from layer 0 to the model's last
 */
public record Placement(List<Part> parts) {
    /** A device and its layer range. */
    public record Part(DeviceReference device, LayerRange range) {
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
