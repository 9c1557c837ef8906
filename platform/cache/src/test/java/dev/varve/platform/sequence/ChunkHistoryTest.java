package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ChunkHistoryTest {
    private static ChunkHistory cuts(int... ends) {
        ChunkHistory chunkHistory = new ChunkHistory();
        for (int end : ends) {
            chunkHistory.add(end, ChunkKind.WINDOW);
        }
        return chunkHistory;
    }

    /** A forward across position 100 computed tokens before it together with tokens after it. */
    @Test
    void positionInsideAChunkIsNoCommonBoundary() {
        assertEquals(0, cuts(100, 400).agreement(cuts(512), 100));
        assertEquals(0, cuts(512).agreement(cuts(100, 400), 100));
    }

    @Test
    void historiesAgreeUpToTheLastCommonChunkEnd() {
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
    void historiesAreTruncatedAtTheirOwnBoundariesOnly() {
        assertEquals(512, cuts(512, 600).upTo(512).end());
        assertEquals(0, cuts(512, 600).upTo(0).end());
        assertThrows(IllegalArgumentException.class, () -> cuts(512, 600).upTo(100));
        assertThrows(IllegalArgumentException.class, () -> cuts(512, 600).upTo(700));
    }

    @Test
    void forwardThatCrossesAPositionIsCutThere() {
        ChunkHistory history = new ChunkHistory();
        history.add(512, ChunkKind.WINDOW);
        history.add(700, ChunkKind.WINDOW);
        history.add(701, ChunkKind.ROWS);

        assertEquals(600, history.cutAt(600).end());
        assertEquals(512, history.cutAt(600).floor(599));
        assertTrue(history.cutAt(512).agrees(history, 512));
        assertTrue(history.cutAt(701).agrees(history, 701));
        assertEquals(0, history.cutAt(0).end());
        assertEquals(701, history.end(), "the history itself does not change");
    }

    @Test
    void noSingleTokenOfAWindowRemains() {
        assertEquals(698, ChunkHistory.cutBefore(699, 700));
        assertEquals(698, ChunkHistory.cutBefore(698, 700));
        assertEquals(510, ChunkHistory.cutBefore(511, 700));
        assertEquals(512, ChunkHistory.cutBefore(512, 513), "the window has one token");
        assertEquals(0, ChunkHistory.cutBefore(0, 1));
    }

    @Test
    void floorIsTheLastBoundaryAtOrBeforeAPosition() {
        assertEquals(0, cuts(512, 600).floor(511));
        assertEquals(512, cuts(512, 600).floor(512));
        assertEquals(512, cuts(512, 600).floor(599));
        assertEquals(600, cuts(512, 600).floor(1000));
    }

    @Test
    void lastChunkCountsUpToItsTruncation() {
        ChunkHistory chunkHistory = cuts(512);
        chunkHistory.add(520, ChunkKind.ROWS);

        chunkHistory.shorten(514);

        assertEquals(514, chunkHistory.end());
        assertEquals(512, chunkHistory.floor(513));
        assertEquals(ChunkKind.ROWS, chunkHistory.kindAt(512));
        chunkHistory.add(515, ChunkKind.ROWS);
        assertEquals(515, chunkHistory.next(514));
    }

    /** The numbers are those of the window, however it was computed. */
    @Test
    void finishedPiecesLeaveTheWindowBoundary() {
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
    void unfinishedWindowHasAnotherBoundary() {
        ChunkHistory pieces = cuts(512);
        pieces.add(560, ChunkKind.PIECE);

        assertTrue(pieces.endsInPiece());
        assertEquals(512, pieces.lastBegin());
        assertEquals(512, pieces.agreement(cuts(512, 560), 560));
    }

    @Test
    void tokenBehindAPieceIsItsOwnChunk() {
        ChunkHistory chunkHistory = new ChunkHistory();
        chunkHistory.add(96, ChunkKind.PIECE);
        chunkHistory.add(97, ChunkKind.WINDOW);

        assertEquals(96, chunkHistory.next(0));
        assertEquals(ChunkKind.PIECE, chunkHistory.kindAt(0));
        assertEquals(97, chunkHistory.next(96));
        assertEquals(ChunkKind.WINDOW, chunkHistory.kindAt(96));
    }

    @Test
    void nothingBeforeTheLastChunkIsTruncated() {
        ChunkHistory chunkHistory = cuts(512, 600);

        assertThrows(IllegalArgumentException.class, () -> chunkHistory.shorten(512));
        assertThrows(IllegalArgumentException.class, () -> chunkHistory.shorten(601));
        assertThrows(IllegalArgumentException.class, () -> new ChunkHistory().shorten(1));
    }

    @Test
    void windowsOfALengthEndLikeThoseOfAWindowedPrefill() {
        assertEquals(512, ChunkHistory.ofWindows(512, 512).agreement(cuts(512), 512));
        assertEquals(
                1200, ChunkHistory.ofWindows(512, 1200).agreement(cuts(512, 1024, 1200), 1200));
        assertEquals(1024, ChunkHistory.ofWindows(512, 1025).floor(1024));
        assertEquals(7, ChunkHistory.ofWindows(512, 7).end());
        assertEquals(ChunkKind.WINDOW, ChunkHistory.ofWindows(512, 700).kindAt(512));
    }

    @Test
    void historiesAgreeAtACommonEnd() {
        assertTrue(cuts(512, 600).agrees(cuts(512, 700), 512));
        assertTrue(cuts(512, 600).agrees(cuts(512, 700), 0));
        assertFalse(cuts(512, 600).agrees(cuts(512, 700), 600));
        assertFalse(cuts(512, 600).agrees(cuts(512, 600), 599));
        assertFalse(cuts(100, 512).agrees(cuts(512), 512));
        assertTrue(new ChunkHistory().agrees(cuts(512), 0));
    }

    @Test
    void equalBoundariesHaveEqualDigests() {
        assertEquals(cuts(100, 512, 600).digest(512), cuts(100, 512, 700).digest(512));
        assertEquals(cuts(512, 600).digest(256), cuts(512, 900).digest(256));
        assertEquals(ChunkHistory.ofWindows(512, 900).digest(900), cuts(512, 900).digest(900));
    }

    /** A forward across the position computed tokens before it together with tokens after it. */
    @Test
    void differentBoundariesHaveDifferentDigests() {
        ChunkHistory decoded = cuts(512);
        decoded.add(600, ChunkKind.ROWS);

        assertNotEquals(cuts(512, 600).digest(600), cuts(300, 512, 600).digest(600));
        assertNotEquals(cuts(512, 600).digest(600), cuts(512, 700).digest(600));
        assertNotEquals(cuts(512, 600).digest(600), decoded.digest(600));
        assertNotEquals(cuts(512, 600).digest(512), cuts(512, 600).digest(513));
    }

    @Test
    void laterBoundariesDoNotChangeADigest() {
        ChunkHistory chunkHistory = cuts(256, 512);
        long digest = chunkHistory.digest(512);

        chunkHistory.add(513, ChunkKind.ROWS);
        chunkHistory.add(700, ChunkKind.WINDOW);

        assertEquals(digest, chunkHistory.digest(512));
        assertEquals(digest, chunkHistory.upTo(512).digest(512));
    }

    @Test
    void draftTokensBehindAPositionAreNotRecomputed() {
        ChunkHistory chunkHistory = new ChunkHistory();
        chunkHistory.add(10, ChunkKind.WINDOW);
        chunkHistory.add(18, ChunkKind.ROWS);

        assertEquals(12, chunkHistory.endingBy(12).end());
        assertEquals(18, chunkHistory.endingBy(18).end());
        assertEquals(18, chunkHistory.endingBy(30).end());
        assertEquals(18, chunkHistory.end(), "the list itself stays as it is");
        assertThrows(IllegalArgumentException.class, () -> chunkHistory.endingBy(10));
    }

    @Test
    void decodedTokensBehindAPositionAreKnown() {
        ChunkHistory chunkHistory = new ChunkHistory();
        chunkHistory.add(40, ChunkKind.WINDOW);
        chunkHistory.add(41, ChunkKind.ROWS);
        chunkHistory.add(60, ChunkKind.WINDOW);

        assertTrue(chunkHistory.hasRowsBehind(0));
        assertTrue(chunkHistory.hasRowsBehind(40));
        assertFalse(chunkHistory.hasRowsBehind(41));
        assertFalse(ChunkHistory.NONE.hasRowsBehind(0));
    }
}
