package dev.varve.platform.draft;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * A tree of draft tokens, grown by likelihood: first the path that the network drafts without
 * branches, then always the token whose whole path has the best chance. Of equal chances the one
 * added first is taken, so that equal blocks give equal trees.
 *
 * @param rows of the head, one per draft token
 * @param parents as in {@link dev.varve.api.speculation.Draft}
 */
record DraftTree(int[] rows, int[] parents) {
    /** A draft token that may be added next. */
    private record TreeCandidate(Node parent, int rank, double logProbability, int number) {}

    /** A draft token of the tree, and its possible successors. */
    private static final class Node {
        private final int number;
        private final int depth;
        private final double logProbability;
        private final List<BlockCandidates.Ranked> followers;

        Node(int number, int depth, double logProbability, List<BlockCandidates.Ranked> followers) {
            this.number = number;
            this.depth = depth;
            this.logProbability = logProbability;
            this.followers = followers;
        }
    }

    /** State of a tree while it grows. */
    private static final class Builder {
        private final BlockCandidates slots;
        private final int depth;
        private final int ranks;
        private final int[] rows;
        private final int[] parents;
        private final PriorityQueue<TreeCandidate> waiting =
                new PriorityQueue<>(
                        Comparator.comparingDouble(TreeCandidate::logProbability)
                                .reversed()
                                .thenComparingInt(TreeCandidate::number));

        private int count;
        private int waited;

        Builder(BlockCandidates slots, int depth, int ranks, int budget) {
            this.slots = slots;
            this.depth = depth;
            this.ranks = ranks;
            rows = new int[budget];
            parents = new int[budget];
        }

        /** Possible successors of a draft token in a slot, the likeliest first. */
        private List<BlockCandidates.Ranked> followers(int slot, int index) {
            return slot < depth ? slots.rank(slot, index, ranks) : List.of();
        }

        private Node root() {
            return new Node(-1, 0, 0, followers(0, 0));
        }

        private Node add(Node parent, BlockCandidates.Ranked guess, double logProbability) {
            rows[count] = guess.row();
            parents[count] = parent.number;
            return new Node(
                    count++,
                    parent.depth + 1,
                    logProbability,
                    followers(parent.depth + 1, guess.index()));
        }

        private void addCandidate(Node parent, int rank) {
            if (rank < parent.followers.size()) {
                double chance = parent.logProbability + parent.followers.get(rank).logProbability();
                waiting.add(new TreeCandidate(parent, rank, chance, waited++));
            }
        }

        /**
         * Adds the path that the network drafts, as far as its tokens are among the candidates of
         * the slots.
         */
        private void follow(int[] spine) {
            Node last = root();
            for (int row : spine) {
                List<BlockCandidates.Ranked> followers = last.followers;
                int rank = 0;
                while (rank < followers.size() && followers.get(rank).row() != row) {
                    rank++;
                }
                if (rank == followers.size()) {
                    addUnbranched(last, spine);
                    return;
                }
                BlockCandidates.Ranked guess = followers.get(rank);
                // The other candidates keep their order.
                List<BlockCandidates.Ranked> ordered = new ArrayList<>(followers);
                ordered.add(0, ordered.remove(rank));
                Node parent = new Node(last.number, last.depth, last.logProbability, ordered);
                last = add(parent, guess, parent.logProbability + guess.logProbability());
                addCandidate(parent, 1);
            }
            addCandidate(last, 0);
        }

        /** Adds the rest of the path without branches: its tokens are not among the candidates. */
        private void addUnbranched(Node last, int[] spine) {
            addCandidate(last, 0);
            for (int i = last.depth; i < spine.length; i++) {
                rows[count] = spine[i];
                parents[count] = count - 1;
                count++;
            }
        }

        private DraftTree grow() {
            while (count < rows.length && !waiting.isEmpty()) {
                TreeCandidate next = waiting.poll();
                Node node =
                        add(
                                next.parent(),
                                next.parent().followers.get(next.rank()),
                                next.logProbability());
                addCandidate(next.parent(), next.rank() + 1);
                addCandidate(node, 0);
            }
            return new DraftTree(Arrays.copyOf(rows, count), Arrays.copyOf(parents, count));
        }
    }

    /**
     * Grows a tree.
     *
     * @param spine the path to begin with: rows, at most as many as there are slots
     * @param depth maximum number of consecutive draft tokens
     * @param budget maximum number of draft tokens, at least the length of the path
     */
    static DraftTree of(BlockCandidates slots, int[] spine, int depth, int budget) {
        int ranks = budget > depth ? TokenLattice.RANKS : 1;
        Builder builder = new Builder(slots, Math.min(depth, slots.slots()), ranks, budget);
        builder.follow(spine);
        return builder.grow();
    }
}
