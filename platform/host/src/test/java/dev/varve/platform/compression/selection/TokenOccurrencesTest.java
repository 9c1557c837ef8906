package dev.varve.platform.compression.selection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;

class TokenOccurrencesTest {
    private static final int LARGE = Integer.MAX_VALUE;

    private final TokenOccurrences occurrences =
            new TokenOccurrences(new int[] {7, 0, 7, LARGE, 7, LARGE, 0, 8}, 6);

    @Test
    void occurrencesEndBeforeTheQuery() {
        assertArrayEquals(new int[] {0, 2, 4}, occurrences.of(7));
        assertArrayEquals(new int[] {1}, occurrences.of(0));
        assertArrayEquals(new int[] {3, 5}, occurrences.of(LARGE));
        assertArrayEquals(new int[0], occurrences.of(8));
        assertEquals(3, occurrences.count(7));
        assertEquals(2, occurrences.count(LARGE));
        assertEquals(0, occurrences.count(8));
    }

    @Test
    void countsAreOrderedById() {
        assertEquals(
                List.of(
                        new TokenOccurrences.Count(0, 1),
                        new TokenOccurrences.Count(7, 3),
                        new TokenOccurrences.Count(LARGE, 2)),
                occurrences.counts());
    }
}
