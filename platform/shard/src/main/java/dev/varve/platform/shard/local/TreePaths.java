package dev.varve.platform.shard.local;

import dev.varve.platform.shard.TokenTree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Paths of a tree from the first token to its leaves. Each path ends with some tokens that no
 * earlier path has.
 *
 * @param paths tokens of each path
 * @param fresh for each path, the number of tokens that no earlier path has
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

    /** Number of tokens of all paths. */
    int length() {
        return paths.stream().mapToInt(path -> path.length).sum();
    }

    /** Tokens of all paths, path after path. */
    int[] tokens() {
        return paths.stream().flatMapToInt(Arrays::stream).toArray();
    }

    /** For each token of the tree, its index among the new tokens of all paths. */
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
