package dev.varve.platform.plan;

import dev.varve.platform.placement.DeviceReference;

/** Measures the speed at which a device computes a model. */
@FunctionalInterface
public interface DeviceProbe {
    /**
     * Measures a device, or returns a cached measurement.
     *
     * @throws dev.varve.api.VarveException if the device cannot be used
     */
    Measurement measure(DeviceReference device);
}
