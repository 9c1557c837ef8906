package dev.varve.platform.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses the replica of a prompt by its cost in tokens: the prompt tokens that are not cached, the
 * tokens that these evict from full caches, the tokens to compute before the prompt, and a penalty
 * for caches that hold much more than those of another replica. With the penalty, an emptier
 * replica computes a common prefix once more.
 */
public final class ReplicaRouter {
    /** Difference in owed tokens that costs nothing. */
    private static final long SLACK_TOKENS = 512;

    /**
     * Surplus of cached tokens over the emptiest replica that costs as much as one computed token.
     * Without this penalty, prompts with a common prefix would all go to the first replica and fill
     * its caches.
     */
    private static final long UNEVEN_TOKENS = 8;

    private ReplicaRouter() {}

    /**
     * A replica and the cost of the prompt there.
     *
     * @param <T> kind of replica
     * @param replica the replica
     * @param cached leading tokens of the prompt that are likely cached
     * @param costTokens tokens to compute until the prompt is computed, plus evicted tokens and
     *     penalty
     * @param outstandingTokens tokens that it has to compute for other requests
     * @param usedTokens tokens in its caches
     */
    public record Candidate<T extends RoutingTarget>(
            T replica, int cached, long costTokens, long outstandingTokens, long usedTokens) {}

    /**
     * Returns the replicas with their costs, the best one first.
     *
     * @param <T> kind of replica
     * @param replicas replicas that accept requests
     * @param prompt blocks of the prompt
     */
    public static <T extends RoutingTarget> List<Candidate<T>> order(
            List<T> replicas, PromptBlockHashes prompt) {
        long least = replicas.stream().mapToLong(RoutingTarget::owedTokens).min().orElse(0);
        long emptiest =
                replicas.stream().mapToLong(each -> each.prefixEstimate().used()).min().orElse(0);
        List<Candidate<T>> candidates = new ArrayList<>();
        for (T replica : replicas) {
            int cached = replica.prefixEstimate().cached(prompt);
            long missing = (long) prompt.tokens() - cached;
            long owed = replica.owedTokens();
            long waits = Math.max(0, owed - least - SLACK_TOKENS);
            long used = replica.prefixEstimate().used();
            long uneven = (used - emptiest) / UNEVEN_TOKENS;
            long cost = missing + replica.prefixEstimate().displaced(missing) + waits + uneven;
            candidates.add(new Candidate<>(replica, cached, cost, owed, used));
        }
        candidates.sort(
                Comparator.comparingLong(Candidate<T>::costTokens)
                        .thenComparingLong(Candidate<T>::outstandingTokens)
                        .thenComparingLong(Candidate<T>::usedTokens));
        return candidates;
    }
}
