package dev.varve.platform.placement;

import dev.varve.api.model.LayerRange;

import java.util.List;

/**
 * Which device computes which layers.
 *
 * @param parts in layer order; the ranges follow each other from layer 0 to the model's last
 */
public record Placement(List<Part> parts) {
    /** A device and its layers. */
    public record Part(DeviceReference device, LayerRange range) {
        @Override
        public String toString() {
            return device + " layers " + range;
        }
    }

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

    /** Everything on one device. */
    public static Placement single(DeviceReference device, LayerRange range) {
        return new Placement(List.of(new Part(device, range)));
    }
}
