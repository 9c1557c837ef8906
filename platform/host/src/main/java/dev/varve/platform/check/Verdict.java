package dev.varve.platform.check;

import java.util.Objects;

/**
 * Outcome of a check, with the expected and the found value.
 *
 * @param expected values of a device without faults; empty if nothing specific is expected
 * @param found values of this device, or the reason why the check did not run
 */
public record Verdict(CheckStatus status, String expected, String found) {
    /** Checks that nothing is missing. */
    public Verdict {
        Objects.requireNonNull(status);
        Objects.requireNonNull(expected);
        Objects.requireNonNull(found);
    }

    /** The values are as expected. */
    public static Verdict ok(String expected, String found) {
        return new Verdict(CheckStatus.OK, expected, found);
    }

    /** The values are not as expected. */
    public static Verdict differs(String expected, String found) {
        return new Verdict(CheckStatus.DIFFERS, expected, found);
    }

    /** The values are as expected exactly if {@code equal}. */
    public static Verdict of(boolean equal, String expected, String found) {
        return equal ? ok(expected, found) : differs(expected, found);
    }

    /** The values are as expected, but took longer. */
    public static Verdict slow(String expected, String found) {
        return new Verdict(CheckStatus.SLOW, expected, found);
    }

    /** The check did not run. */
    public static Verdict skipped(String reason) {
        return new Verdict(CheckStatus.SKIPPED, "", reason);
    }

    /** The check did not end, or ended with an error. */
    public static Verdict failed(String expected, String reason) {
        return new Verdict(CheckStatus.FAILED, expected, reason);
    }
}
