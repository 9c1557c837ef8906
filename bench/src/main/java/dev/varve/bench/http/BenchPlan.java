package dev.varve.bench.http;

import dev.varve.bench.http.stream.Target;

import java.time.Duration;
import java.util.List;

/**
 * The options of a run. Lists of sides hold the server's part and, with a peer, the peer's behind
 * it.
 *
 * @param targets the servers that run already
 * @param commands that start a server
 */
record BenchPlan(
        List<Target> targets,
        List<Launch> commands,
        List<Scenario> scenarios,
        Workload workload,
        Repeats repeats) {
    /**
     * Numbers of rounds and limits of time.
     *
     * @param pairs rounds of each scenario but the first answer
     * @param runs rounds of the first answer
     * @param settle pause before each trial
     * @param limit how long an answer may take
     * @param seed of the prompts
     */
    record Repeats(int pairs, int runs, Duration settle, Duration limit, long seed) {}

    BenchPlan {
        targets = List.copyOf(targets);
        commands = List.copyOf(commands);
        scenarios = scenarios.stream().distinct().sorted().toList();
    }

    /** Whether a server must run already. */
    boolean needsServer() {
        return scenarios.stream().anyMatch(scenario -> scenario != Scenario.FIRST);
    }
}
