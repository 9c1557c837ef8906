package dev.varve.api.backend;

import java.util.List;

/** The devices of one kind, available after their library was loaded. Thread-safe. */
public interface DeviceBackend {
    /** Facts about each device; the index is the number in {@code cpu:0}. */
    List<DeviceInfo> devices();

    /**
     * Opens a device for computing. The caller closes it. A device may be open several times; all
     * instances share one {@link ComputeDevice#lock}.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if there is no such device or it
     *     cannot be initialised, naming it as {@code name:index}
     */
    ComputeDevice open(int index, DeviceOptions options);
}
