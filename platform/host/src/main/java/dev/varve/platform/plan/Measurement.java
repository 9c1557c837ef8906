package dev.varve.platform.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * Measured speed of a device, with the time and the load of the measurement.
 *
 * @param speed the speed
 * @param time begin of the measurement
 * @param age time since then; zero for a new measurement
 * @param load share of the machine's cores that other processes used meanwhile, from 0 to 1; empty
 *     if unknown, as on other hosts
 */
public record Measurement(DeviceSpeed speed, Instant time, Duration age, OptionalDouble load) {
    /** Share of the cores from which on a measurement may be too slow. */
    private static final double LOADED = 0.2;

    /** Checks that nothing is missing. */
    public Measurement {
        Objects.requireNonNull(speed);
        Objects.requireNonNull(time);
        Objects.requireNonNull(load);
        age = age.isNegative() ? Duration.ZERO : age;
    }

    /** Returns whether other processes slowed the measurement down. */
    public boolean isLoaded() {
        return load.orElse(0) >= LOADED;
    }

    /** Returns whether the load was unknown or lower than another one. */
    boolean isBelow(OptionalDouble other) {
        return load.isEmpty() || load.getAsDouble() < other.orElse(1);
    }

    /** Returns whether a new measurement under another load would have better values. */
    boolean isOutdatedBy(OptionalDouble current) {
        return isLoaded() && current.isPresent() && current.getAsDouble() <= load.getAsDouble() / 2;
    }

    /**
     * Describes age and load, such as {@code measured 3 hours ago, while other processes used 62 %
     * of the cores}.
     */
    public String describe() {
        return "measured "
                + ago()
                + (isLoaded()
                        ? String.format(
                                Locale.ROOT,
                                ", while other processes used %.0f %% of the cores",
                                100 * load.getAsDouble())
                        : "");
    }

    private String ago() {
        if (age.toMinutes() < 1) {
            return "now";
        }
        long hours = age.toHours();
        return hours < 1
                ? count(age.toMinutes(), "minute")
                : age.toDays() < 2 ? count(hours, "hour") : count(age.toDays(), "day");
    }

    private static String count(long number, String unit) {
        return number + " " + unit + (number == 1 ? "" : "s") + " ago";
    }
}
