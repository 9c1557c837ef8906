package dev.varve.fleet;

import dev.varve.fleet.WorkloadShape.Lengths;
import dev.varve.fleet.WorkloadShape.SessionClass;

import java.util.List;

/** Small workloads and fleets for tests. */
final class FleetFixture {
    /** 10 ms a step, 2 ms a row, 1 ms a column. */
    static final StepCosts COSTS = new StepCosts(10_000_000, 2_000_000, 1_000_000);

    private FleetFixture() {}

    /** Returns sessions whose lengths do not vary. */
    static WorkloadShape fixed(
            int systemTokens, int firstTokens, int nextTokens, int output, double another) {
        return new WorkloadShape(
                List.of(
                        new SessionClass(
                                1,
                                0,
                                systemTokens,
                                new Lengths(firstTokens, 0, firstTokens),
                                new Lengths(nextTokens, 0, nextTokens),
                                0,
                                new Lengths(1, 0, 1),
                                new Lengths(output, 0, output),
                                another)));
    }

    static Workload workload(WorkloadShape shape, double perSecond, long seed) {
        return new Workload(shape, new Workload.Arrivals(perSecond, false), 5, seed);
    }

    /** Returns short chats with a common system prompt. */
    static Workload chats(double perSecond) {
        return workload(WorkloadShape.CONVERSATION.dividedBy(16), perSecond, 1);
    }

    static FleetOptions fleet(int replicas, RoutingPolicy policy) {
        return FleetOptions.of(replicas, policy).withCosts(COSTS);
    }
}
