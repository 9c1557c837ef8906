package dev.varve.platform.compression.selection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

class NgramSearchTest {
    /** Hashes that are good, the same for all orders of some tokens, and the last token alone. */
    private static final long[] BASES = {0x9E3779B97F4A7C15L, 1, 0};

    @Property(tries = 500)
    void occurrencesMatchANaiveScanForAnyHash(
            @ForAll @IntRange(min = 1, max = 300) int tokens,
            @ForAll @IntRange(min = 1, max = 5) int length,
            @ForAll @IntRange(min = 1, max = 12) int vocabulary,
            @ForAll @IntRange(max = 10) int mostHits,
            @ForAll long seed) {
        Random random = new Random(seed);
        int[] ids = random.ints(tokens, 0, vocabulary).toArray();
        int queryBegin = random.nextInt(tokens);
        int queryEnd = queryBegin + 1 + random.nextInt(tokens - queryBegin);
        int end = random.nextInt(tokens + 2);
        int[] expected = naive(ids, length, new TokenRange(queryBegin, queryEnd), end, mostHits);

        for (long base : BASES) {
            NgramSearch search = new NgramSearch(ids, length, base);
            search.add(new TokenRange(queryBegin, queryEnd));

            assertArrayEquals(
                    expected,
                    search.find(end, mostHits),
                    "base " + base + ", ids " + Arrays.toString(ids));
        }
    }

    private static int[] naive(int[] ids, int length, TokenRange query, int end, int mostHits) {
        boolean[] found = new boolean[ids.length];
        for (int q = query.begin(); q + length <= query.end(); q++) {
            int from = q;
            int[] hits =
                    IntStream.range(0, end)
                            .filter(p -> p + length <= ids.length)
                            .filter(
                                    p ->
                                            IntStream.range(0, length)
                                                    .allMatch(i -> ids[p + i] == ids[from + i]))
                            .toArray();
            if (hits.length <= mostHits) {
                Arrays.stream(hits).forEach(p -> found[p] = true);
            }
        }
        return IntStream.range(0, ids.length).filter(p -> found[p]).toArray();
    }

    @Test
    void runsWithEqualHashesAreDistinguished() {
        int[] ids = IntStream.range(0, 2000).map(i -> i % 2 == 0 ? i : 2000 - i).toArray();
        NgramSearch search = new NgramSearch(ids, 2, 1);
        search.add(new TokenRange(0, 2000));

        assertArrayEquals(IntStream.range(0, 1999).toArray(), search.find(2000, 1));
    }

    @Test
    void shortPartsHaveNoRuns() {
        NgramSearch search = new NgramSearch(new int[] {1, 2, 3, 1, 2, 3}, 4);
        search.add(new TokenRange(0, 3));

        assertArrayEquals(new int[0], search.find(6, 9));
    }

    @Test
    void runsDoNotCrossParts() {
        int[] ids = {1, 2, 9, 3, 4, 1, 2, 3, 4};
        NgramSearch search = new NgramSearch(ids, 2);
        search.add(new TokenRange(0, 2));
        search.add(new TokenRange(3, 5));

        assertArrayEquals(new int[] {0, 3, 5, 7}, search.find(9, 9));
    }
}
