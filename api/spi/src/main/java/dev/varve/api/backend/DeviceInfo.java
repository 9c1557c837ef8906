package dev.varve.api.backend;

import java.util.Objects;

/**
 * Facts about one device.
 *
 * @param name reference such as {@code cpu:0}
 * @param description the hardware's name, and the variant of the backend that runs on it
 * @param memoryTotalBytes memory of the device; for the CPU the limit of the cgroup
 * @param memoryFreeBytes the part of it that is free now
 * @param hostCores whether it computes on the processor's cores, as a software renderer also does;
 *     such devices of one machine never compute at once
 */
public record DeviceInfo(
        String name,
        String description,
        long memoryTotalBytes,
        long memoryFreeBytes,
        boolean hostCores) {
    /** Refuses null. */
    public DeviceInfo {
        Objects.requireNonNull(name);
        Objects.requireNonNull(description);
    }
}
