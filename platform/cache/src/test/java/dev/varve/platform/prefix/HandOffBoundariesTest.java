package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

/** Tests at which positions a peer keeps checkpoints. */
class HandOffBoundariesTest {
    @Test
    void modelWithStatesGetsOnlyThePromptsBoundaries() {
        assertArrayEquals(
                new int[] {600, 4000},
                HandOffBoundaries.of(new int[] {600, 4000, 4010}, 4000, true));
    }

    @Test
    void otherModelsGetFurtherOnesInBetween() {
        assertArrayEquals(
                new int[] {1024, 2048, 3072, 4000},
                HandOffBoundaries.of(new int[] {}, 4000, false));
    }

    @Test
    void noneIsAddedNearABoundaryOrTheEnd() {
        assertArrayEquals(
                new int[] {513, 1537, 3072, 3584},
                HandOffBoundaries.of(new int[] {513, 1537}, 3584, false));
        assertArrayEquals(
                new int[] {1024, 2559, 3583}, HandOffBoundaries.of(new int[] {2559}, 3583, false));
    }

    @Test
    void longPromptGetsNone() {
        assertArrayEquals(
                new int[] {5000, 8224}, HandOffBoundaries.of(new int[] {5000}, 8224, false));
    }
}
