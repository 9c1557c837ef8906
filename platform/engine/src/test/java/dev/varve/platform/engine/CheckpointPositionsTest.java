package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.sequence.CacheScope;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

class CheckpointPositionsTest {
    private static int[] kept(int length, int... boundaries) {
        return CheckpointPositions.of(GenerationRequest.Prompt.of(new int[length], boundaries));
    }

    @Test
    void firstAndLastTwoBoundariesAreAlwaysKept() {
        assertArrayEquals(new int[] {40}, kept(100, 40));
        assertArrayEquals(new int[] {10, 20}, kept(100, 10, 20));
        assertArrayEquals(new int[] {10, 30, 40}, kept(100, 10, 20, 30, 40));
        assertArrayEquals(new int[] {10, 30, 100}, kept(100, 10, 20, 30, 100));
    }

    @Test
    void boundariesBetweenAreKeptIfFarEnoughApart() {
        assertArrayEquals(
                new int[] {100, 356, 700, 720, 730}, kept(800, 100, 355, 356, 600, 700, 720, 730));
    }

    @Test
    void promptWithoutBoundariesGetsRegularCheckpointsAndOneNearItsEnd() {
        assertArrayEquals(new int[0], kept(128));
        assertArrayEquals(new int[] {128}, kept(129));
        assertArrayEquals(new int[] {192}, kept(200));
        assertArrayEquals(new int[] {2016}, kept(2048));
        assertArrayEquals(new int[] {2048}, kept(2049));
        assertArrayEquals(new int[] {2048, 4096, 4992}, kept(5000));
    }

    @Test
    void longGapsBetweenBoundariesAreFilled() {
        assertArrayEquals(new int[] {100, 2048, 4096, 5000}, kept(6000, 100, 5000));
        assertArrayEquals(new int[] {2000, 4096}, kept(4200, 2000), "2048 is too near to 2000");
    }

    @Test
    void uncachedRequestKeepsNoCheckpoint() {
        assertArrayEquals(
                new int[0],
                CheckpointPositions.of(
                        new GenerationRequest.Prompt(
                                new int[5000], new int[] {100, 4000}, CacheScope.none())));
    }

    @ParameterizedTest
    @ValueSource(ints = {33_000, 100_000, 131_072, 1_000_000})
    void longPromptHasAboutSixteenCheckpoints(int length) {
        int[] everyFifty = IntStream.range(1, length / 50).map(i -> 50 * i).toArray();

        for (int[] kept : new int[][] {kept(length), kept(length, everyFifty)}) {
            assertTrue(kept.length >= 14 && kept.length <= 34, length + ": " + kept.length);
        }
        assertTrue(kept(length).length <= 18 || length < 65_536, () -> "" + kept(length).length);
    }

    @Test
    void positionsAscendInsideThePromptAndDoNotDependOnItsEnd() {
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 2000; i++) {
            int length = 1 + random.nextInt(1 << random.nextInt(17));
            int[] boundaries =
                    random.ints(random.nextInt(40), 1, length + 1).sorted().distinct().toArray();

            int[] kept = kept(length, boundaries);

            String what = length + ", " + Arrays.toString(boundaries) + Arrays.toString(kept);
            for (int k = 0; k < kept.length; k++) {
                assertTrue(kept[k] > (k == 0 ? 0 : kept[k - 1]) && kept[k] <= length, what);
            }
            if (boundaries.length > 0) {
                assertTrue(Arrays.binarySearch(kept, boundaries[0]) >= 0, what);
                assertTrue(Arrays.binarySearch(kept, boundaries[boundaries.length - 1]) >= 0, what);
            }
            assertEquals(kept.length, Arrays.stream(kept).distinct().count(), what);
        }
    }
}
