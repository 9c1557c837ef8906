package dev.varve.fleet;

import dev.varve.platform.replica.ReplicaRouter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;

/** Orders the replicas for a request by a policy. */
final class Routing {
    private final RoutingPolicy policy;
    private final Random random;

    Routing(RoutingPolicy policy, RandomGenerator random) {
        this.policy = policy;
        this.random = Random.from(random);
    }

    /**
     * A replica and the prompt tokens that are expected in its cache.
     *
     * @param cached expected tokens; 0 if the policy knows no caches
     */
    record Choice(SimReplica replica, int cached) {}

    /**
     * Returns the replicas for a request, the best one first.
     *
     * @param open replicas that compute
     */
    List<Choice> order(List<SimReplica> open, SimRequest request) {
        return switch (policy) {
            case RANDOM -> shuffled(open);
            case LEAST_LOADED ->
                    open.stream()
                            .sorted(Comparator.comparingLong(SimReplica::owedTokens))
                            .map(each -> new Choice(each, 0))
                            .toList();
            case SESSION -> rotated(open, request.turn().sessionHash());
            case PREFIX, EVENTS -> byPrefix(open, request);
        };
    }

    private List<Choice> shuffled(List<SimReplica> open) {
        List<SimReplica> shuffled = new ArrayList<>(open);
        Collections.shuffle(shuffled, random);
        return shuffled.stream().map(each -> new Choice(each, 0)).toList();
    }

    private static List<Choice> rotated(List<SimReplica> open, int hash) {
        List<SimReplica> rotated = new ArrayList<>(open);
        Collections.rotate(rotated, -(hash % open.size()));
        return rotated.stream().map(each -> new Choice(each, 0)).toList();
    }

    private static List<Choice> byPrefix(List<SimReplica> open, SimRequest request) {
        open.forEach(each -> each.view().route(request.turn()));
        return ReplicaRouter.order(open, request.blocks()).stream()
                .map(each -> new Choice(each.replica(), each.cached()))
                .toList();
    }
}
