package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.backend.ComputeDevice.Phase;

import org.junit.jupiter.api.Test;

class CutListTest {
    private static CutList cuts(int... ends) {
        CutList cuts = new CutList();
        for (int end : ends) {
            cuts.add(end, Phase.PREFILL);
        }
        return cuts;
    }

    /** What crosses position 100 was computed together with tokens behind it. */
    @Test
    void aPositionInsideAForwardIsNoAgreement() {
        assertEquals(0, cuts(100, 400).agreement(cuts(512), 100));
        assertEquals(0, cuts(512).agreement(cuts(100, 400), 100));
    }

    @Test
    void listsAgreeUpToTheLastForwardThatBothEndAlike() {
        assertEquals(512, cuts(512, 600).agreement(cuts(512, 700), 600));
        assertEquals(512, cuts(512, 600).agreement(cuts(512, 600), 599));
        assertEquals(600, cuts(512, 600).agreement(cuts(512, 600), 600));
        assertEquals(512, cuts(512).agreement(cuts(512, 600), 600));
    }

    @Test
    void forwardsOfDifferentPhasesDoNotAgree() {
        CutList decoded = cuts(512);
        decoded.add(513, Phase.DECODE);

        assertEquals(512, decoded.agreement(cuts(512, 513), 513));
    }

    @Test
    void listsAreCutAtTheirOwnCutsOnly() {
        assertEquals(512, cuts(512, 600).upTo(512).end());
        assertEquals(0, cuts(512, 600).upTo(0).end());
        assertThrows(IllegalArgumentException.class, () -> cuts(512, 600).upTo(100));
        assertThrows(IllegalArgumentException.class, () -> cuts(512, 600).upTo(700));
    }

    @Test
    void theFloorIsTheLastCutAtOrBeforeAPosition() {
        assertEquals(0, cuts(512, 600).floor(511));
        assertEquals(512, cuts(512, 600).floor(512));
        assertEquals(512, cuts(512, 600).floor(599));
        assertEquals(600, cuts(512, 600).floor(1000));
    }

    @Test
    void theLastForwardCountsUpToWhereItIsShortened() {
        CutList cuts = cuts(512);
        cuts.add(520, Phase.DECODE);

        cuts.shorten(514);

        assertEquals(514, cuts.end());
        assertEquals(512, cuts.floor(513));
        assertEquals(Phase.DECODE, cuts.phaseAt(512));
        cuts.add(515, Phase.DECODE);
        assertEquals(515, cuts.next(514));
    }

    @Test
    void nothingBeforeTheLastForwardIsShortened() {
        CutList cuts = cuts(512, 600);

        assertThrows(IllegalArgumentException.class, () -> cuts.shorten(512));
        assertThrows(IllegalArgumentException.class, () -> cuts.shorten(601));
        assertThrows(IllegalArgumentException.class, () -> new CutList().shorten(1));
    }
}
