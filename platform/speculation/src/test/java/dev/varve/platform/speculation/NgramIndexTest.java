package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.speculation.TokenHistory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

class NgramIndexTest {
    /** As the index has them: tokens that are compared, and occurrences. */
    private static final int LONGEST = 64;

    private static final int CANDIDATES = 16;

    private static TokenHistory history(int... tokens) {
        return new TokenHistory() {
            @Override
            public int size() {
                return tokens.length;
            }

            @Override
            public int get(int position) {
                return tokens[position];
            }
        };
    }

    private static NgramIndex.Match find(int... tokens) {
        NgramIndex index = new NgramIndex();
        index.extend(history(tokens));
        return index.find(history(tokens));
    }

    /** Random tokens, with pieces of what was there before, so that it repeats itself. */
    private static int[] text(int length, int vocabulary, long seed) {
        Random random = new Random(seed);
        int[] tokens = new int[length];
        int i = 0;
        while (i < length) {
            int piece = Math.min(length - i, 1 + random.nextInt(90));
            int from = i == 0 || random.nextBoolean() ? i : random.nextInt(i);
            for (int end = i + piece; i < end; i++, from++) {
                tokens[i] = from < i ? tokens[from] : random.nextInt(vocabulary);
            }
        }
        return tokens;
    }

    /** The same by looking at every position, the latest first. */
    private static NgramIndex.Match plain(int... tokens) {
        NgramIndex.Match best = NgramIndex.Match.NONE;
        int occurrences = 0;
        for (int end = tokens.length - 1; end > 0 && occurrences < CANDIDATES; end--) {
            int length = common(tokens, end);
            if (length >= NgramIndex.SHORTEST) {
                occurrences++;
                best = length > best.length() ? new NgramIndex.Match(end, length) : best;
            }
        }
        return best;
    }

    private static int common(int[] tokens, int end) {
        int length = 0;
        while (length < Math.min(end, LONGEST)
                && tokens[end - 1 - length] == tokens[tokens.length - 1 - length]) {
            length++;
        }
        return length;
    }

    /** Of few tokens and of many, whose runs share no place in the table. */
    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2", "1000, 4", "150000, 5"})
    void longestLatestOccurrenceIsFoundWhileTheTextGrows(int vocabulary, long seed) {
        int[] text = text(1500, vocabulary, seed);
        NgramIndex index = new NgramIndex();
        Random random = new Random(seed);
        for (int size = 1; size <= text.length; size += 1 + random.nextInt(4)) {
            int[] tokens = Arrays.copyOf(text, size);
            index.extend(history(tokens));

            NgramIndex.Match found = index.find(history(tokens));

            assertEquals(plain(tokens), found, "size " + size + " of " + vocabulary);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void matchesDoNotDependOnGrowthSteps(long seed) {
        int[] text = text(700, 20, seed);
        Random random = new Random(seed);
        NgramIndex grown = new NgramIndex();
        for (int size = 1; size < text.length; size += 1 + random.nextInt(150)) {
            grown.extend(history(Arrays.copyOf(text, size)));
        }
        grown.extend(history(text));

        NgramIndex.Match found = grown.find(history(text));

        assertEquals(find(text), found, "seed " + seed);
    }

    @Test
    void newTokenHasNoOccurrence() {
        int[] different = IntStream.range(0, 1000).toArray();

        assertEquals(NgramIndex.Match.NONE, find(different));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shortTextHasNoEarlierOccurrence(int size) {
        assertEquals(NgramIndex.Match.NONE, find(new int[size]));
    }

    @Test
    void runMayOverlapItsEarlierOccurrence() {
        assertEquals(new NgramIndex.Match(3, 3), find(5, 5, 5, 5));
    }

    @Test
    void twoCommonTokensAreTooFew() {
        assertEquals(NgramIndex.Match.NONE, find(1, 2, 3, 9, 2, 3));
        assertEquals(new NgramIndex.Match(3, 3), find(1, 2, 3, 9, 1, 2, 3));
    }

    @Test
    void latestOfEqualOccurrencesIsUsed() {
        int[] tokens = {1, 2, 3, 10, 1, 2, 3, 11, 1, 2, 3};

        assertEquals(new NgramIndex.Match(7, 3), find(tokens));
    }

    @Test
    void longerOccurrencePrecedesALaterOne() {
        int[] tokens = {0, 1, 2, 3, 10, 9, 1, 2, 3, 11, 0, 1, 2, 3};

        assertEquals(new NgramIndex.Match(4, 4), find(tokens));
    }

    /** After the hash table grows, the index still finds positions that shared a slot. */
    @Test
    void occurrenceInALongTextIsFoundAcrossGrowth() {
        int[] text = IntStream.range(0, 5000).toArray();
        NgramIndex index = new NgramIndex();
        for (int size = 100; size < text.length; size += 100) {
            index.extend(history(Arrays.copyOf(text, size)));
        }
        for (int begin : new int[] {0, 50, 255, 256, 2047, 4990}) {
            int[] tokens = Arrays.copyOf(text, text.length + 5);
            System.arraycopy(text, begin, tokens, text.length, 5);
            NgramIndex.Match expected = new NgramIndex.Match(begin + 5, 5);

            assertEquals(expected, find(tokens), "from " + begin);
        }
        int[] last = Arrays.copyOf(text, text.length + 3);
        System.arraycopy(text, 17, last, text.length, 3);
        index.extend(history(last));
        assertEquals(new NgramIndex.Match(20, 3), index.find(history(last)));
    }
}
