package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;

import org.junit.jupiter.api.Test;

/** Tests which part of a draft is used, and how a step follows it. */
class DraftTokensTest {
    /** Two draft tokens follow the known token; the second one has a successor. */
    private static final Draft TREE =
            new Draft(new int[] {10, 11, 12, 20, 21}, new int[] {-1, 0, 1, -1, 3}, 2);

    @Test
    void walkFollowsAcceptedDraftTokens() {
        DraftTokens draftTokens = DraftTokens.of(TREE, 5);

        assertEquals(1, draftTokens.next(0, 10));
        assertEquals(4, draftTokens.next(0, 20));
        assertEquals(-1, draftTokens.next(0, 21));
        assertEquals(5, draftTokens.next(4, 21));
        assertEquals(-1, draftTokens.next(1, 12));
        assertEquals(2, draftTokens.next(1, 11));
        assertTrue(draftTokens.continuesAfter(4));
        assertFalse(draftTokens.continuesAfter(3));
        assertFalse(draftTokens.continuesAfter(5));
    }

    @Test
    void firstNodesOfATreeMayBeAChain() {
        DraftTokens draftTokens = DraftTokens.of(TREE, 3);

        assertTrue(draftTokens.tree().isChain());
        assertEquals(2, draftTokens.next(1, 11));
        assertEquals(DraftTokens.NONE, DraftTokens.of(TREE, 0));
    }

    @Test
    void unwantedDraftTokensAreDropped() {
        assertArrayEquals(TREE.tokens(), DraftTokens.fit(TREE, 3, 22).tokens());
        assertArrayEquals(TREE.parents(), DraftTokens.fit(TREE, 3, 22).parents());
        assertArrayEquals(new int[] {10, 11, 12, 20}, DraftTokens.fit(TREE, 3, 4).tokens());
        // If the tree is too deep, or no tree is wanted, only the path remains.
        assertArrayEquals(new int[] {10, 11}, DraftTokens.fit(TREE, 2, 22).tokens());
        assertArrayEquals(new int[] {10, 11, 12}, DraftTokens.fit(TREE, 7, 0).tokens());
        assertEquals(2, DraftTokens.fit(TREE, 7, 0).grade());
        Draft late = new Draft(new int[] {1, 2, 3, 4}, new int[] {-1, -1, 1, 2}, 0);
        assertArrayEquals(new int[] {1}, DraftTokens.fit(late, 2, 9).tokens());
    }
}
