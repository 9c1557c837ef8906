package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ChunkHistoryTest {
    private static ChunkHistory cuts(int... ends) {
        ChunkHistory cuts = new ChunkHistory();
        for (int end : ends) {
            cuts.add(end, ChunkKind.WINDOW);
        }
        return cuts;
    }

    /** A forward across position 100 computed tokens before it together with tokens after it. */
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
    void rowsDoNotAgreeWithAWindow() {
        ChunkHistory decoded = cuts(512);
        decoded.add(513, ChunkKind.ROWS);

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
        ChunkHistory cuts = cuts(512);
        cuts.add(520, ChunkKind.ROWS);

        cuts.shorten(514);

        assertEquals(514, cuts.end());
        assertEquals(512, cuts.floor(513));
        assertEquals(ChunkKind.ROWS, cuts.kindAt(512));
        cuts.add(515, ChunkKind.ROWS);
        assertEquals(515, cuts.next(514));
    }

    /** The numbers are those of the window, however it was computed. */
    @Test
    void piecesLeaveTheCutOfTheirWindow() {
        ChunkHistory pieces = cuts(512);
        pieces.add(560, ChunkKind.PIECE);
        pieces.add(608, ChunkKind.PIECE);
        assertEquals(ChunkKind.PIECE, pieces.kindAt(512));
        assertEquals(608, pieces.end());
        pieces.add(1024, ChunkKind.LAST_PIECE);

        assertEquals(1024, pieces.agreement(cuts(512, 1024), 1024));
        assertEquals(1024, pieces.next(512));
        assertEquals(ChunkKind.WINDOW, pieces.kindAt(512));
        assertFalse(pieces.endsInPiece());
    }

    @Test
    void aWindowThatWasNeverFinishedIsAnotherCut() {
        ChunkHistory pieces = cuts(512);
        pieces.add(560, ChunkKind.PIECE);

        assertTrue(pieces.endsInPiece());
        assertEquals(512, pieces.lastBegin());
        assertEquals(512, pieces.agreement(cuts(512, 560), 560));
    }

    @Test
    void aTokenBehindAPieceStandsForItself() {
        ChunkHistory cuts = new ChunkHistory();
        cuts.add(96, ChunkKind.PIECE);
        cuts.add(97, ChunkKind.WINDOW);

        assertEquals(96, cuts.next(0));
        assertEquals(ChunkKind.PIECE, cuts.kindAt(0));
        assertEquals(97, cuts.next(96));
        assertEquals(ChunkKind.WINDOW, cuts.kindAt(96));
    }

    @Test
    void nothingBeforeTheLastForwardIsShortened() {
        ChunkHistory cuts = cuts(512, 600);

        assertThrows(IllegalArgumentException.class, () -> cuts.shorten(512));
        assertThrows(IllegalArgumentException.class, () -> cuts.shorten(601));
        assertThrows(IllegalArgumentException.class, () -> new ChunkHistory().shorten(1));
    }

    @Test
    void windowsOfALengthEndWhereAPromptThatIsComputedInThemDoes() {
        assertEquals(512, ChunkHistory.ofWindows(512, 512).agreement(cuts(512), 512));
        assertEquals(
                1200, ChunkHistory.ofWindows(512, 1200).agreement(cuts(512, 1024, 1200), 1200));
        assertEquals(1024, ChunkHistory.ofWindows(512, 1025).floor(1024));
        assertEquals(7, ChunkHistory.ofWindows(512, 7).end());
        assertEquals(ChunkKind.WINDOW, ChunkHistory.ofWindows(512, 700).kindAt(512));
    }

    @Test
    void listsAgreeAtAPositionAtWhichBothEndAlike() {
        assertTrue(cuts(512, 600).agrees(cuts(512, 700), 512));
        assertTrue(cuts(512, 600).agrees(cuts(512, 700), 0));
        assertFalse(cuts(512, 600).agrees(cuts(512, 700), 600));
        assertFalse(cuts(512, 600).agrees(cuts(512, 600), 599));
        assertFalse(cuts(100, 512).agrees(cuts(512), 512));
        assertTrue(new ChunkHistory().agrees(cuts(512), 0));
    }

    @Test
    void equalCutsHaveEqualDigests() {
        assertEquals(cuts(100, 512, 600).digest(512), cuts(100, 512, 700).digest(512));
        assertEquals(cuts(512, 600).digest(256), cuts(512, 900).digest(256));
        assertEquals(ChunkHistory.ofWindows(512, 900).digest(900), cuts(512, 900).digest(900));
    }

    /** A forward across the position computed tokens before it together with tokens after it. */
    @Test
    void otherCutsBeforeAPositionOrAcrossItHaveOtherDigests() {
        ChunkHistory decoded = cuts(512);
        decoded.add(600, ChunkKind.ROWS);

        assertNotEquals(cuts(512, 600).digest(600), cuts(300, 512, 600).digest(600));
        assertNotEquals(cuts(512, 600).digest(600), cuts(512, 700).digest(600));
        assertNotEquals(cuts(512, 600).digest(600), decoded.digest(600));
        assertNotEquals(cuts(512, 600).digest(512), cuts(512, 600).digest(513));
    }

    @Test
    void whatFollowsAPositionDoesNotChangeItsDigest() {
        ChunkHistory cuts = cuts(256, 512);
        long digest = cuts.digest(512);

        cuts.add(513, ChunkKind.ROWS);
        cuts.add(700, ChunkKind.WINDOW);

        assertEquals(digest, cuts.digest(512));
        assertEquals(digest, cuts.upTo(512).digest(512));
    }

    @Test
    void guessesBehindAPositionAreNoPartOfAnythingThatIsComputedAgain() {
        ChunkHistory cuts = new ChunkHistory();
        cuts.add(10, ChunkKind.WINDOW);
        cuts.add(18, ChunkKind.ROWS);

        assertEquals(12, cuts.endingBy(12).end());
        assertEquals(18, cuts.endingBy(18).end());
        assertEquals(18, cuts.endingBy(30).end());
        assertEquals(18, cuts.end(), "the list itself stays as it is");
        assertThrows(IllegalArgumentException.class, () -> cuts.endingBy(10));
    }

    @Test
    void decodedTokensBehindAPositionAreKnown() {
        ChunkHistory cuts = new ChunkHistory();
        cuts.add(40, ChunkKind.WINDOW);
        cuts.add(41, ChunkKind.ROWS);
        cuts.add(60, ChunkKind.WINDOW);

        assertTrue(cuts.hasRowsBehind(0));
        assertTrue(cuts.hasRowsBehind(40));
        assertFalse(cuts.hasRowsBehind(41));
        assertFalse(ChunkHistory.NONE.hasRowsBehind(0));
    }
}
