package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.speculation.Draft;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

class DraftConfidenceTest {
    private static float[] chances(int count, float each) {
        float[] probabilities = new float[count];
        Arrays.fill(probabilities, each);
        return probabilities;
    }

    @Test
    void nothingIsDroppedWithoutConfidence() {
        assertEquals(new DraftConfidence(7, 0), DraftConfidence.of(new float[0], 7));
        assertEquals(new DraftConfidence(0, 0), DraftConfidence.of(chances(7, 0.5f), 0));
    }

    @Test
    void draftEndsBeforeTheFirstImprobableToken() {
        for (int cut = 1; cut < 8; cut++) {
            float[] probabilities = chances(8, 0.9f);
            probabilities[cut] = 0.01f;
            assertEquals(cut, DraftConfidence.of(probabilities, 8).usefulTokens());
            assertEquals(Math.min(cut, 3), DraftConfidence.of(probabilities, 3).usefulTokens());
        }
        // 0.5 to the fourth is 0.0625, and to the fifth 0.03125.
        assertEquals(4, DraftConfidence.of(chances(8, 0.5f), 8).usefulTokens());
        assertEquals(8, DraftConfidence.of(chances(8, 0.9f), 8).usefulTokens());
    }

    @Test
    void oneDraftTokenIsAlwaysProposed() {
        assertEquals(1, DraftConfidence.of(chances(8, 0), 8).usefulTokens());
        assertEquals(1, DraftConfidence.of(chances(8, Float.NaN), 8).usefulTokens());
    }

    @Test
    void gradeIsTheExpectedAcceptance() {
        assertEquals(Draft.MOST_GRADE, DraftConfidence.of(chances(8, 1), 8).grade());
        assertEquals(0, DraftConfidence.of(chances(8, 0), 8).grade());
        assertEquals(0, DraftConfidence.of(chances(8, Float.NaN), 8).grade());
        // 1/2, 1/4, 1/8 and 1/16 of four are 0.23 of them, the second eighth.
        assertEquals(1, DraftConfidence.of(chances(4, 0.5f), 4).grade());
    }
}
