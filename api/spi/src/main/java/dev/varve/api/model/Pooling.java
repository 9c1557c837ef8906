package dev.varve.api.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How the rows of a text's tokens become its result. */
public enum Pooling {
    /** All rows, one per token. */
    NONE(0),
    /** Average of the rows of all tokens, special ones included. */
    MEAN(1),
    /** Row of the first token. */
    CLS(2),
    /** Row of the last token. */
    LAST(3),
    /** A row, or the average, to which a classifier is applied: a score for a query and a text. */
    RANK(4);

    private final int key;

    Pooling(int key) {
        this.key = key;
    }

    /** Returns the name for people, such as {@code mean}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the pooling that {@code pooling_type} of a file means; empty if unspecified. */
    public static Optional<Pooling> ofKey(long key) {
        return Arrays.stream(values()).filter(each -> each.key == key).findFirst();
    }
}
