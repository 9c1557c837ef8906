package dev.varve.platform.compression.selection;

import java.util.OptionalInt;

/**
 * The rule by which tokens that come again and again make their chunks stay; for drafters that
 * score only a few of their layers.
 *
 * @param least occurrences of such a token, positive
 * @param most occurrences of such a token, at least as many
 * @param chunks until so many stay for whatever reason; empty for as many as shall stay
 */
public record RecurringTokenSettings(int least, int most, OptionalInt chunks) {
    /** From 4 to 32 occurrences. */
    public static final RecurringTokenSettings USUAL =
            new RecurringTokenSettings(4, 32, OptionalInt.empty());

    /** Checks the numbers. */
    public RecurringTokenSettings {
        if (least < 1 || most < least || chunks.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "repeated tokens: expected 1 to as many occurrences or more, found "
                            + least
                            + " to "
                            + most
                            + ", "
                            + chunks);
        }
    }
}
