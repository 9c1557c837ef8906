package dev.varve.api.backend;

import java.nio.file.Path;
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

    /**
     * Files of the system that the backend found in a place that the dynamic loader does not
     * search, such as a vendor's runtime library inside a package of another language.
     */
    default List<Path> systemLibraries() {
        return List.of();
    }
}
