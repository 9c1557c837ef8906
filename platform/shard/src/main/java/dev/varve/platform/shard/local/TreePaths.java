package dev.varve.platform.shard.local;

import dev.varve.platform.shard.TokenTree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The paths of a tree from the first token to those that none follows. Each has some tokens that no
 * earlier path has, at its end.
 *
 * @param paths tokens of each
 * @param fresh how many of them are in no earlier path
 */
record TreePaths(List<int[]> paths, List<Integer> fresh) {
    static TreePaths of(TokenTree tree) {
        int count = tree.parents().length;
        boolean[] followed = new boolean[count];
        for (int token = 1; token < count; token++) {
            followed[tree.parent(token)] = true;
        }
        List<int[]> paths = new ArrayList<>();
        List<Integer> fresh = new ArrayList<>();
        Set<Integer> known = new HashSet<>();
        for (int token = 0; token < count; token++) {
            if (!followed[token]) {
                int[] path = tree.path(token);
                paths.add(path);
                fresh.add((int) Arrays.stream(path).filter(known::add).count());
            }
        }
        return new TreePaths(paths, fresh);
    }

    /** Tokens of all paths. */
    int length() {
        return paths.stream().mapToInt(path -> path.length).sum();
    }

    /** They themselves, path after path. */
    int[] tokens() {
        return paths.stream().flatMapToInt(Arrays::stream).toArray();
    }

    /** For each token of the tree, its number among those that are fresh, path after path. */
    int[] order() {
        int[] order = new int[fresh.stream().mapToInt(Integer::intValue).sum()];
        int number = 0;
        for (int i = 0; i < paths.size(); i++) {
            int[] path = paths.get(i);
            for (int at = path.length - fresh.get(i); at < path.length; at++) {
                order[path[at]] = number++;
            }
        }
        return order;
    }
}
