package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.TokenTrees;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

/** Trees of tokens and paths through them. */
class TokenTreeTest {
    @Test
    void unbranchedTreeIsAChain() {
        assertSame(TokenTree.CHAIN, TokenTree.of(new int[] {-1, 0, 1, 2}));
        assertSame(TokenTree.CHAIN, TokenTree.of(new int[] {-1}));
        assertArrayEquals(new int[] {0, 1, 2}, TokenTree.CHAIN.path(2));
    }

    @Test
    void levelsAndPathsFollowTheParents() {
        TokenTree tree = TokenTree.of(new int[] {-1, 0, 1, 0, 3, 1});

        assertEquals(
                List.of(0, 1, 2, 1, 2, 2),
                List.of(0, 1, 2, 3, 4, 5).stream().map(tree::level).toList());
        assertArrayEquals(new int[] {0, 3, 4}, tree.path(4));
        assertArrayEquals(new int[] {0, 1, 5}, tree.path(5));
        assertEquals(tree, TokenTree.of(tree.parents()));
    }

    @Test
    void invalidParentIsRefused() {
        for (int[] parents :
                List.of(
                        new int[] {0},
                        new int[] {-1, -1},
                        new int[] {-1, 1},
                        new int[] {-1, 0, 3, 0},
                        new int[] {-1, 0, -2})) {
            String message =
                    assertThrows(
                                    IllegalArgumentException.class,
                                    () -> TokenTree.of(parents),
                                    Arrays.toString(parents))
                            .getMessage();
            assertTrue(message.contains("cannot follow"), message);
        }
    }

    @Test
    void treesHaveTheirLimits() {
        int[] wide = new int[TokenTrees.MOST_TOKENS + 1];
        wide[0] = -1;
        int[] deep = new int[TokenTrees.MOST_LEVELS + 2];
        deep[0] = -1;
        for (int i = 1; i < deep.length; i++) {
            deep[i] = i - 1;
        }
        deep[deep.length - 1] = 0;

        assertThrows(IllegalArgumentException.class, () -> TokenTree.of(wide));
        assertThrows(IllegalArgumentException.class, () -> TokenTree.of(deep));
    }

    @Test
    void pathMovesToTheFrontInRuns() {
        AcceptedPath path = AcceptedPath.of(0, 1, 4, 5, 9);

        assertEquals(
                List.of(new AcceptedPath.Move(4, 2, 2), new AcceptedPath.Move(9, 4, 1)),
                path.moves());
        assertEquals(9, path.last());
        assertTrue(AcceptedPath.of(0, 1, 2).isStraight());
        assertEquals(AcceptedPath.first(3), AcceptedPath.of(0, 1, 2));
        assertEquals(List.of(), AcceptedPath.first(7).moves());
        for (int[] wrong :
                List.of(new int[0], new int[] {1}, new int[] {0, 0}, new int[] {0, 2, 1})) {
            assertThrows(IllegalArgumentException.class, () -> AcceptedPath.of(wrong));
        }
        assertThrows(IllegalArgumentException.class, () -> AcceptedPath.first(0));
    }

    @Test
    void columnsOfAPathMoveTogether() {
        CapturedFeature feature =
                new CapturedFeature(1, new float[] {0, 0, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50}, 6);

        feature.gather(1, AcceptedPath.of(0, 2, 4));

        assertArrayEquals(
                new float[] {0, 0, 1, 10, 3, 30, 5, 50}, Arrays.copyOf(feature.values(), 8));
    }
}
