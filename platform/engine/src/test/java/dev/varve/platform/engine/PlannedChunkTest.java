package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.ChunkKind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

class PlannedChunkTest {
    private static final int ALL = Integer.MAX_VALUE;

    @Test
    void promptAloneIsCutAtMultiplesOfTheWindow() {
        assertEquals(List.of(512, 1024, 1300), ends(0, 1300, 0, ALL));
    }

    @Test
    void stablePrefixEndsAChunk() {
        assertEquals(List.of(512, 700, 1024, 1300), ends(0, 1300, 700, ALL));
    }

    @Test
    void computedStablePrefixEndsNoChunk() {
        assertEquals(List.of(1024, 1300), ends(700, 1300, 700, ALL));
    }

    @Test
    void pieceIsTheLargestAllowedMultiple() {
        assertEquals(List.of(48, 96, 130), ends(0, 130, 0, 48));
    }

    /** Kernels compute columns in groups; a whole window has the same remainder. */
    @ParameterizedTest
    @ValueSource(ints = {16, 32, 48, 64, 112, 496})
    void piecesAreWholeGroupsAndTheLastIsNotShort(int most) {
        for (int length = 1; length <= 1600; length++) {
            int begin = 0;
            for (int end : ends(0, length, 0, most)) {
                int windowEnd = PlannedChunk.windowEnd(begin, length, 0);
                int windowBegin = begin / PlannedChunk.WINDOW * PlannedChunk.WINDOW;
                String where = "length " + length + ", piece " + begin + " to " + end;
                assertTrue(end == windowEnd || (end - begin) % PlannedChunk.PIECE == 0, where);
                assertTrue(
                        end - begin >= Math.min(PlannedChunk.PIECE, windowEnd - windowBegin),
                        where);
                assertTrue(
                        end - begin <= Math.max(most, 2 * PlannedChunk.PIECE - 1)
                                || end == windowEnd && end - begin < most + PlannedChunk.PIECE,
                        where);
                begin = end;
            }
            assertEquals(length, begin);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 65, 511, 512, 513, 600, 1024, 1300})
    void piecesKeepTheWindowBoundaries(int length) {
        ChunkHistory pieces = cuts(length, 16);

        for (int begin = 0; begin < length; begin += PlannedChunk.WINDOW) {
            int end = Math.min(length, begin + PlannedChunk.WINDOW);
            String where = "length " + length + ", window " + begin;
            if (end - begin >= PlannedChunk.TILE) {
                assertEquals(end, pieces.next(begin), where);
            }
            assertEquals(ChunkKind.WINDOW, pieces.kindAt(begin), where);
        }
    }

    @Test
    void windowsShorterThanATileUseNoTiledAttention() {
        assertEquals(
                new PlannedChunk(32, ChunkKind.WINDOW),
                PlannedChunk.next(0, 60, ChunkKind.WINDOW, false, 32));
        assertEquals(
                new PlannedChunk(60, ChunkKind.WINDOW),
                PlannedChunk.next(0, 60, ChunkKind.WINDOW, false, ALL));
    }

    @Test
    void endOfADividedWindowUsesTiledAttention() {
        assertEquals(
                new PlannedChunk(32, ChunkKind.PIECE),
                PlannedChunk.next(0, 64, ChunkKind.WINDOW, false, 32));
        assertEquals(
                new PlannedChunk(64, ChunkKind.LAST_PIECE),
                PlannedChunk.next(32, 64, ChunkKind.WINDOW, true, 32));
    }

    @Test
    void unfinishedWindowIsRecomputedInPieces() {
        assertEquals(
                new PlannedChunk(48, ChunkKind.PIECE),
                PlannedChunk.next(0, 48, ChunkKind.PIECE, false, ALL));
        assertEquals(
                new PlannedChunk(16, ChunkKind.PIECE),
                PlannedChunk.next(0, 48, ChunkKind.PIECE, false, 16));
    }

    /** The window continues after a shared piece of another sequence's window. */
    @Test
    void singleTokenBehindAPieceIsNoPiece() {
        assertEquals(
                new PlannedChunk(97, ChunkKind.WINDOW),
                PlannedChunk.next(96, 97, ChunkKind.WINDOW, true, ALL));
    }

    @Test
    void shortRestOfATiledWindowUsesTiledAttention() {
        assertEquals(
                new PlannedChunk(104, ChunkKind.LAST_PIECE),
                PlannedChunk.next(96, 104, ChunkKind.WINDOW, true, ALL));
        assertEquals(
                new PlannedChunk(104, ChunkKind.WINDOW),
                PlannedChunk.next(96, 104, ChunkKind.WINDOW, false, ALL));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 100, 512, 0",
        "300, 600, 2048, 0",
        "511, 600, 2048, 0",
        "512, 600, 2048, 512",
        "600, 5000, 512, 512",
        "700, 5000, 512, 640"
    })
    void windowBeginsAtAMultipleOfItsLength(int position, int end, int slots, int begin) {
        assertEquals(begin, PlannedChunk.windowBegin(position, end, slots));
    }

    private static ChunkHistory cuts(int length, int most) {
        ChunkHistory chunkHistory = new ChunkHistory();
        while (chunkHistory.end() < length) {
            PlannedChunk next =
                    PlannedChunk.next(
                            chunkHistory.end(),
                            PlannedChunk.windowEnd(chunkHistory.end(), length, 0),
                            ChunkKind.WINDOW,
                            chunkHistory.endsInPiece(),
                            most);
            chunkHistory.add(next.end(), next.kind());
        }
        return chunkHistory;
    }

    private static List<Integer> ends(int begin, int end, int stable, int most) {
        List<Integer> ends = new ArrayList<>();
        boolean continues = false;
        for (int next = begin; next < end; ) {
            PlannedChunk plan =
                    PlannedChunk.next(
                            next,
                            PlannedChunk.windowEnd(next, end, stable),
                            ChunkKind.WINDOW,
                            continues,
                            most);
            continues = plan.kind() == ChunkKind.PIECE;
            next = plan.end();
            ends.add(next);
        }
        return ends;
    }
}
