package dev.varve.platform.plugin;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name that an unknown one probably means. */
public final class NearestName {
    private static final int SHORTEST_PREFIX = 3;

    private NearestName() {}

    /**
     * Returns the known name with the smallest edit distance, unless more than a third of the name
     * would change. Of several, the one with the longest common prefix counts, then the shortest,
     * then the last by name, which is often the newest version.
     */
    public static Optional<String> of(String name, Collection<String> known) {
        return known.stream()
                .filter(each -> distance(name, each) <= Math.max(1, name.length() / 3))
                .min(
                        Comparator.comparingInt((String each) -> distance(name, each))
                                .thenComparing(byPrefix(name)));
    }

    /**
     * Returns the nearest known name, or else the one with the longest common prefix, from {@value
     * #SHORTEST_PREFIX} letters on.
     */
    static Optional<String> ofRelated(String name, Collection<String> known) {
        return of(name, known)
                .or(
                        () ->
                                known.stream()
                                        .filter(each -> prefix(name, each) >= SHORTEST_PREFIX)
                                        .min(byPrefix(name)));
    }

    private static Comparator<String> byPrefix(String name) {
        return Comparator.comparingInt((String each) -> -prefix(name, each))
                .thenComparingInt(String::length)
                .thenComparing(Comparator.reverseOrder());
    }

    private static int prefix(String left, String right) {
        int length = 0;
        while (length < Math.min(left.length(), right.length())
                && left.charAt(length) == right.charAt(length)) {
            length++;
        }
        return length;
    }

    /** Returns the number of characters to insert, delete or replace (Levenshtein distance). */
    private static int distance(String left, String right) {
        int[] row = new int[right.length() + 1];
        for (int i = 0; i < row.length; i++) {
            row[i] = i;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[right.length()];
    }
}
