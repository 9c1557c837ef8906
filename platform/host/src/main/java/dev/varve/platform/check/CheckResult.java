package dev.varve.platform.check;

import java.util.Objects;

/**
 * Result of a check of a device.
 *
 * @param device such as {@code cuda:0}
 * @param name what was checked, unique within device and group
 * @param seconds duration of the check
 */
public record CheckResult(
        String device, CheckGroup group, String name, Verdict verdict, double seconds) {
    /** Checks that nothing is missing. */
    public CheckResult {
        Objects.requireNonNull(device);
        Objects.requireNonNull(group);
        Objects.requireNonNull(name);
        Objects.requireNonNull(verdict);
    }
}
