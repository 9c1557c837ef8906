package dev.varve.platform.plan;

import dev.varve.platform.placement.DeviceReference;

/** Finds out how fast a device computes a model. */
@FunctionalInterface
public interface DeviceProbe {
    /**
     * Measures, or looks up what was measured before.
     *
     * @throws dev.varve.api.VarveException if the device cannot be used
     */
    DeviceSpeed measure(DeviceReference device);
}
