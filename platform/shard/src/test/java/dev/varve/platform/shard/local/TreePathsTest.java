package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.shard.TokenTree;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** The paths of a tree have each of its tokens, and each of them once as a fresh one. */
class TreePathsTest {
    private static TreePaths paths(int... parents) {
        return TreePaths.of(TokenTree.of(parents));
    }

    @Test
    void treeHasAPathToEachLeaf() {
        // 0 - 1 - 3, 0 - 2 - 4 and 0 - 2 - 5.
        TreePaths paths = paths(-1, 0, 0, 1, 2, 2);

        assertEquals(3, paths.paths().size());
        assertArrayEquals(new int[] {0, 1, 3}, paths.paths().get(0));
        assertArrayEquals(new int[] {0, 2, 4}, paths.paths().get(1));
        assertArrayEquals(new int[] {0, 2, 5}, paths.paths().get(2));
        assertEquals(List.of(3, 2, 1), paths.fresh());
        assertEquals(9, paths.length());
        assertArrayEquals(new int[] {0, 1, 3, 0, 2, 4, 0, 2, 5}, paths.tokens());
        // Fresh ones, path after path: 0 1 3, 2 4, 5.
        assertArrayEquals(new int[] {0, 1, 3, 2, 4, 5}, paths.order());
    }

    @Test
    void rootWithLeavesHasAPathToEachOfThem() {
        TreePaths paths = paths(-1, 0, 0);

        assertArrayEquals(new int[] {0, 1, 0, 2}, paths.tokens());
        assertEquals(List.of(2, 1), paths.fresh());
        assertArrayEquals(new int[] {0, 1, 2}, paths.order());
    }

    @Test
    void everyTokenOfARandomTreeIsComputedOnceBehindItsParent() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            int count = 3 + random.nextInt(20);
            int[] parents = new int[count];
            parents[0] = -1;
            for (int i = 1; i < count; i++) {
                parents[i] = random.nextInt(i);
            }
            parents[2] = 0;
            TokenTree tree = TokenTree.of(parents);
            TreePaths paths = TreePaths.of(tree);

            int[] order = paths.order();
            Set<Integer> numbers = new HashSet<>();
            for (int token = 0; token < count; token++) {
                numbers.add(order[token]);
                if (token > 0) {
                    assertEquals(true, order[token] > order[tree.parent(token)], "round " + round);
                }
            }
            assertEquals(count, numbers.size(), "round " + round);
            for (int[] path : paths.paths()) {
                assertArrayEquals(tree.path(path[path.length - 1]), path);
            }
        }
    }
}
