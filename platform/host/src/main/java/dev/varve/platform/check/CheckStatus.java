package dev.varve.platform.check;

import java.util.Locale;

/** Result of a check. */
public enum CheckStatus {
    /** The device does what is expected. */
    OK,

    /** The device computed other values than expected. */
    DIFFERS,

    /** The check could not be completed: an error, a lost process, or no result in time. */
    FAILED,

    /** The values are as expected, but the device is slower than expected. */
    SLOW,

    /** The check does not apply to the device, or needs something that is missing. */
    SKIPPED;

    /** Whether the device has a fault. */
    public boolean isFault() {
        return this == DIFFERS || this == FAILED;
    }

    /** Name in tables and reports, such as {@code ok}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the status of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static CheckStatus parse(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
