package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.OptionalInt;

/** Each slot of a block sees what a plain definition by positions says. */
class DraftMaskTest {
    private static final int BLOCK = 4;
    private static final int CAPACITY = 10;
    private static final int ROWS = 64;

    /** Whether a slot sees a context position. */
    private static boolean sees(
            DraftHyperparameters.LayerAttention rule, int slot, int position, int begin, int end) {
        boolean there = position >= begin && position >= end - CAPACITY && position < end;
        int window = rule.window().orElse(Integer.MAX_VALUE);
        int distance = rule.shared() ? end - position : end + slot - position + 1;
        return there && distance <= window;
    }

    @ParameterizedTest
    @CsvSource({
        // window (0: none), causal, shared
        "0, false, false",
        "0, true, false",
        "1, true, true",
        "5, true, true",
        "5, true, false",
        "5, false, false",
        "7, false, true",
        "100, true, false",
        "100, true, true"
    })
    void slotsSeeTheContextInTheWindow(int window, boolean causal, boolean shared) {
        DraftHyperparameters.LayerAttention rule =
                new DraftHyperparameters.LayerAttention(
                        window == 0 ? OptionalInt.empty() : OptionalInt.of(window), causal, shared);
        for (int end = 0; end < 30; end++) {
            for (int begin = Math.max(0, end - 14); begin <= end; begin++) {
                short[] mask = new short[BLOCK * ROWS];

                DraftMask.fill(mask, rule, BLOCK, CAPACITY, begin, end, ROWS);

                for (int slot = 0; slot < BLOCK; slot++) {
                    boolean[] seen = new boolean[ROWS];
                    for (int other = 0; other < BLOCK; other++) {
                        seen[other] = !causal || other <= slot;
                    }
                    for (int position = begin; position < end; position++) {
                        seen[BLOCK + position % CAPACITY] |= sees(rule, slot, position, begin, end);
                    }
                    for (int row = 0; row < ROWS; row++) {
                        assertEquals(
                                seen[row] ? 0 : DraftMask.MASKED,
                                mask[slot * ROWS + row],
                                "row " + row + " of slot " + slot + " at " + begin + ".." + end);
                    }
                }
            }
        }
    }
}
