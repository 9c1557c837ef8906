package dev.varve.platform.engine;

import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Requests with fixed arrival times at an engine over one device that takes a computed time for
 * each batch, in simulated time. Each request is an event of the trace: {@code request}, its
 * number, its first token and its end in ns after the start. Simulators of the scheduler are
 * compared with it.
 */
public final class EngineLoad implements Scenario {
    /** Time of every batch in ns. */
    public static final long BASE_NANOS = 7_200_000;

    /** Time of each decoded token in ns. */
    public static final long ROW_NANOS = 4_800_000;

    /** Time of each prompt token in ns. */
    public static final long COLUMN_NANOS = 2_900_000;

    /** Most running requests, as of {@code PipelineLoad}. */
    public static final int PARALLEL = 64;

    private static final int REQUESTS = 60;
    private static final long MEAN_GAP_NANOS = 1_900_000_000L;

    /**
     * A request.
     *
     * @param arrival time after the start in ns
     * @param prompt tokens of its prompt, which begins unlike all others
     * @param output tokens of its response
     */
    public record Timed(long arrival, int prompt, int output) {}

    /** Returns the requests in the order of their arrival. */
    public static List<Timed> requests() {
        SplittableRandom random = new SplittableRandom(11);
        List<Timed> requests = new ArrayList<>();
        long arrival = 0;
        for (int i = 0; i < REQUESTS; i++) {
            arrival += random.nextLong(2 * MEAN_GAP_NANOS);
            requests.add(new Timed(arrival, random.nextInt(40, 900), random.nextInt(4, 60)));
        }
        return List.copyOf(requests);
    }

    @Override
    public void run(Simulation simulation) throws Exception {
        PipelineLoad load =
                PipelineLoad.of(new PipelineLoad.Costs(BASE_NANOS, ROW_NANOS, COLUMN_NANOS), 1.0);
        List<long[]> times = load.replay(requests());
        for (int i = 0; i < times.size(); i++) {
            simulation.event("request " + i + " " + times.get(i)[0] + " " + times.get(i)[1]);
        }
    }
}
