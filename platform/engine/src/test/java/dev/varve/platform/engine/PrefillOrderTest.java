package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Tests that short prompts come first and that the oldest one does not starve. */
class PrefillOrderTest {
    private record Waiting(int tokens, long arrival) {}

    private static final Waiting OLD_LONG = new Waiting(900, 1);
    private static final Waiting SHORT = new Waiting(10, 3);
    private static final Waiting EARLIER_SHORT = new Waiting(10, 2);

    private final PrefillOrder<Waiting> order =
            new PrefillOrder<>(Waiting::tokens, Waiting::arrival);

    private List<Waiting> sorted() {
        List<Waiting> requests = new ArrayList<>(List.of(OLD_LONG, SHORT, EARLIER_SHORT));
        order.sort(requests);
        return requests;
    }

    @Test
    void shortestAndOldestAlternate() {
        assertEquals(List.of(EARLIER_SHORT, SHORT, OLD_LONG), sorted());
        assertEquals(List.of(OLD_LONG, EARLIER_SHORT, SHORT), sorted());
        assertEquals(List.of(EARLIER_SHORT, SHORT, OLD_LONG), sorted());
    }

    @Test
    void piecesFillWholeGroups() {
        assertEquals(56, PlannedChunk.pieceIn(64, 8, 1));
        assertEquals(48, PlannedChunk.pieceIn(64, 8, 16));
        assertEquals(PlannedChunk.PIECE, PlannedChunk.pieceIn(8, 6, 1));
    }
}
