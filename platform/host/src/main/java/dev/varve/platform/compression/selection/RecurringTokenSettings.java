package dev.varve.platform.compression.selection;

import java.util.OptionalInt;

/**
 * Settings of the recurring-token rule; for drafters that score only a few of their layers.
 *
 * @param least fewest occurrences of such a token, positive
 * @param most most occurrences of such a token, at least {@code least}
 * @param chunks number of kept chunks, for any reason, at which the rule stops; empty: the budget
 */
public record RecurringTokenSettings(int least, int most, OptionalInt chunks) {
    /** Defaults: from 4 to 32 occurrences. */
    public static final RecurringTokenSettings USUAL =
            new RecurringTokenSettings(4, 32, OptionalInt.empty());

    /** Checks the ranges. */
    public RecurringTokenSettings {
        if (least < 1 || most < least || chunks.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "repeated tokens: expected a minimum of 1 or more occurrences and a maximum not"
                            + " below it, found "
                            + least
                            + " to "
                            + most
                            + ", "
                            + chunks);
        }
    }
}
