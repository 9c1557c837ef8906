package dev.varve.platform.shard.scoring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.stream.IntStream;

class TailQueriesTest {
    /** Where the last rows lie in both chunks, in one of them, or exactly at their border. */
    @ParameterizedTest
    @ValueSource(ints = {4096, 4097, 4098, 4099, 4100, 4101, 4102, 4103, 4104, 8192 + 3, 9, 4095})
    void rowsOfTwoChunksAreThoseOfOne(int tokens) {
        assertArrayEquals(gather(tokens, tokens), gather(tokens, 4096));
    }

    @Property(tries = 300)
    void everyCutGathersTheLastRowsInTheirOrder(
            @ForAll @IntRange(min = 9, max = 200) int tokens,
            @ForAll @IntRange(min = 1, max = 50) int chunk) {
        int[] expected = IntStream.range(tokens - 8, tokens).toArray();

        assertArrayEquals(expected, gather(tokens, chunk));
    }

    @Test
    void aQuerySeesAllKeysUpToItsOwn() {
        TailQueries tail = new TailQueries(100);

        assertEquals(92, tail.first());
        assertEquals(93, tail.visible(0));
        assertEquals(100, tail.visible(7));
    }

    @Test
    void aPromptWithoutAnythingToAskForHasNoTail() {
        assertThrows(IllegalArgumentException.class, () -> new TailQueries(8));
    }

    /** Which token each of the gathered rows is; each must be written once. */
    private static int[] gather(int tokens, int chunk) {
        TailQueries tail = new TailQueries(tokens);
        int[] rows = new int[TailQueries.COUNT];
        Arrays.fill(rows, -1);
        for (int begin = 0; begin < tokens; begin += chunk) {
            int first = begin;
            tail.part(begin, Math.min(tokens, begin + chunk))
                    .ifPresent(
                            part -> {
                                for (int i = 0; i < part.count(); i++) {
                                    assertEquals(-1, rows[part.query() + i]);
                                    rows[part.query() + i] = first + part.row() + i;
                                }
                            });
        }
        return rows;
    }
}
