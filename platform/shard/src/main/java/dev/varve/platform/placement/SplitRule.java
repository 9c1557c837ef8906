package dev.varve.platform.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** How the layers of a model are distributed among its devices. */
public sealed interface SplitRule {
    /** Every device gets the same number of layers, up to rounding. */
    record Equal() implements SplitRule {}

    /**
     * Each device gets a share by its weight.
     *
     * @param values one per device, finite and above 0; only their ratios matter
     */
    record Weights(List<Double> values) implements SplitRule {
        /** Checks that every weight is finite and above 0. */
        public Weights {
            values = List.copyOf(values);
            for (double value : values) {
                if (!(value > 0 && Double.isFinite(value))) {
                    throw new IllegalArgumentException(
                            "expected finite weights above 0, found " + value);
                }
            }
        }
    }

    /** By memory and measured speed of the devices. */
    record Automatic() implements SplitRule {}

    /** Name of {@link Automatic} on the command line. */
    String AUTOMATIC = "auto";

    /**
     * Parses {@value #AUTOMATIC} or decimal numbers separated by commas.
     *
     * @throws IllegalArgumentException if an item is empty, not a number, not finite or not above 0
     */
    static SplitRule parse(String text) {
        if (text.equals(AUTOMATIC)) {
            return new Automatic();
        }
        Pattern number = Pattern.compile("-?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?");
        List<Double> values = new ArrayList<>();
        for (String item : text.split(",", -1)) {
            if (!number.matcher(item).matches()) {
                throw new IllegalArgumentException(
                        "expected auto, or numbers separated by commas such as 0.3,0.7, found "
                                + (text.isEmpty() ? "nothing" : text));
            }
            values.add(Double.valueOf(item));
        }
        return new Weights(values);
    }
}
