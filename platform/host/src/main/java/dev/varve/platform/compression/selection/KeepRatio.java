package dev.varve.platform.compression.selection;

import java.math.BigDecimal;

/**
 * Part of a text that is kept, more than 0 and at most 1, which means no compression.
 *
 * @param value the part
 */
public record KeepRatio(double value) {
    /** No compression. */
    public static final KeepRatio ALL = new KeepRatio(1);

    /** Default ratio. */
    public static final KeepRatio USUAL = new KeepRatio(0.05);

    private static final int THOUSAND = 1000;

    /** Tolerance: 29 of 100 is 0.29, though 0.29 is a little less than that in binary. */
    private static final double BINARY_ERROR = 1e-9;

    /** Rejects values outside of the range, and NaN. */
    public KeepRatio {
        if (!(value > 0 && value <= 1)) {
            throw new IllegalArgumentException("keep ratio must be in (0,1], got " + value);
        }
    }

    /**
     * Parses a decimal number.
     *
     * @throws IllegalArgumentException if it is no number, or no ratio
     */
    public static KeepRatio parse(String text) {
        try {
            return new KeepRatio(new BigDecimal(text).doubleValue());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "keep ratio must be a number in (0,1], got '" + text + "'", e);
        }
    }

    /**
     * Returns the ratio of a number of thousandths, as messages between processes encode it.
     *
     * @throws IllegalArgumentException if it is not from 1 to 1000
     */
    public static KeepRatio ofThousandths(int thousandths) {
        if (thousandths < 1 || thousandths > THOUSAND) {
            throw new IllegalArgumentException(
                    "keep ratio must be in (0,1], got " + thousandths + "/" + THOUSAND);
        }
        return new KeepRatio(thousandths / (double) THOUSAND);
    }

    /** Returns the nearest thousandth, at least one. */
    public int thousandths() {
        return (int) Math.max(1, Math.round(value * THOUSAND));
    }

    /** Returns how many of some items are kept: rounded down, at least one. */
    public int of(int things) {
        return (int) Math.max(1, Math.floor(things * value + BINARY_ERROR));
    }

    /** Whether everything is kept. */
    public boolean isAll() {
        return value == 1;
    }

    @Override
    public String toString() {
        return Double.toString(value);
    }
}
