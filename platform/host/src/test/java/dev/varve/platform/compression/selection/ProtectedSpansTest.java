package dev.varve.platform.compression.selection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

import java.util.List;

class ProtectedSpansTest {
    private static TokenRange range(int begin, int end) {
        return new TokenRange(begin, end);
    }

    @Test
    void overlappingOrAdjacentRangesAreMerged() {
        ProtectedSpans spans =
                new ProtectedSpans(
                        List.of(range(8, 9), range(0, 6), range(2, 3), range(6, 7), range(12, 14)));

        assertEquals(List.of(range(0, 7), range(8, 9), range(12, 14)), spans.ranges());
        assertEquals(10, spans.tokens());
    }

    @Test
    void spansOfTwoOriginsAreMerged() {
        ProtectedSpans marks = new ProtectedSpans(List.of(range(0, 1), range(9, 10)));
        ProtectedSpans question = new ProtectedSpans(List.of(range(10, 20)));

        assertEquals(List.of(range(0, 1), range(9, 20)), marks.and(question).ranges());
        assertEquals(marks, marks.and(new ProtectedSpans(List.of())));
    }

    @Test
    void rangeIsNotEmpty() {
        assertThrows(IllegalArgumentException.class, () -> range(3, 3));
        assertThrows(IllegalArgumentException.class, () -> range(-1, 3));
    }
}
