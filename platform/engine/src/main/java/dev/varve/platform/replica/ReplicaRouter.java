package dev.varve.platform.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which replica a prompt goes to: the one that has most of it, unless another one costs less. So
 * many tokens have to be computed before it, so many of it, and so many again that it pushes out of
 * full caches; where the caches of one hold much more than those of another, the emptier ones are
 * worth computing what many prompts have in common once more.
 */
final class ReplicaRouter {
    /** Difference in work that no prompt is computed anew for. */
    private static final long SLACK_TOKENS = 512;

    /**
     * Tokens that caches hold more than others which weigh as much as one token that is computed
     * again: prompts that begin alike would all go to the first one otherwise, and fill its caches.
     */
    private static final long UNEVEN_TOKENS = 8;

    private ReplicaRouter() {}

    /**
     * A replica and what taking the prompt would mean for it.
     *
     * @param cached leading tokens that it is likely to have
     * @param costTokens tokens to compute until the prompt is there, and what stands for the tokens
     *     that others would miss then
     * @param usedTokens of its caches
     */
    record Candidate(
            Replica replica, int cached, long costTokens, long owedTokens, long usedTokens) {}

    /**
     * Some replicas, the best one first.
     *
     * @param replicas that take requests
     */
    static List<Candidate> order(List<Replica> replicas, PromptBlockHashes prompt) {
        long least = replicas.stream().mapToLong(each -> each.owedTokens().get()).min().orElse(0);
        long emptiest = replicas.stream().mapToLong(each -> each.index().used()).min().orElse(0);
        List<Candidate> candidates = new ArrayList<>();
        for (Replica replica : replicas) {
            int cached = replica.index().cached(prompt);
            long missing = (long) prompt.tokens() - cached;
            long owed = replica.owedTokens().get();
            long waits = Math.max(0, owed - least - SLACK_TOKENS);
            long used = replica.index().used();
            long uneven = (used - emptiest) / UNEVEN_TOKENS;
            long cost = missing + replica.index().displaced(missing) + waits + uneven;
            candidates.add(new Candidate(replica, cached, cost, owed, used));
        }
        candidates.sort(
                Comparator.comparingLong(Candidate::costTokens)
                        .thenComparingLong(Candidate::owedTokens)
                        .thenComparingLong(Candidate::usedTokens));
        return candidates;
    }
}
