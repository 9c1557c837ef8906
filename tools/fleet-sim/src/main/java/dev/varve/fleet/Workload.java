package dev.varve.fleet;

import dev.varve.fleet.WorkloadShape.Lengths;
import dev.varve.fleet.WorkloadShape.SessionClass;

import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Generates sessions: arrival times and turns. A further turn follows when the response is complete
 * and the user has thought. Equal seeds give equal sessions, whatever the fleet does with them.
 */
public final class Workload implements Sessions {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Share of the time that is busy in bursty arrivals, and its rate relative to the mean. */
    private static final double BUSY_SHARE = 0.2;

    private static final double BUSY_RATE = 4;
    private static final double MEAN_BUSY_SECONDS = 20;

    private final WorkloadShape shape;
    private final Arrivals arrivals;
    private final double meanThinkSeconds;
    private final long seed;
    private final SplittableRandom random;
    private double seconds;
    private double phaseEnd;
    private boolean busy;
    private long sessions;

    /**
     * When sessions arrive.
     *
     * @param requestsPerSecond mean rate of requests of the whole fleet, if no response were slow
     * @param bursty whether the rate is {@value #BUSY_RATE} times the mean for a fifth of the time
     */
    public record Arrivals(double requestsPerSecond, boolean bursty) {}

    /**
     * Creates a generator.
     *
     * @param shape lengths and turns
     * @param arrivals rate of requests
     * @param meanThinkSeconds mean time between a response and the next turn
     * @param seed of all random numbers
     */
    public Workload(WorkloadShape shape, Arrivals arrivals, double meanThinkSeconds, long seed) {
        this.shape = shape;
        this.arrivals = arrivals;
        this.meanThinkSeconds = meanThinkSeconds;
        this.seed = seed;
        random = new SplittableRandom(seed);
    }

    /** A session with its own random numbers. */
    private final class GeneratedSession implements Session {
        private final long id = sessions++;
        private final SplittableRandom own = new SplittableRandom(seed * 31 + id * 2_654_435_761L);
        private final SessionClass kind = kind(own.nextDouble());
        private int known = kind.systemTokens();
        private int turns;

        @Override
        public Turn next() {
            int added = length(turns == 0 ? kind.first() : kind.next());
            turns++;
            int prompt = known + added;
            boolean isShort = own.nextDouble() < kind.shortOutputs();
            int output = length(isShort ? kind.shortOutput() : kind.output());
            known = prompt + output;
            return new Turn(id, kind.system(), kind.systemTokens(), prompt, output);
        }

        @Override
        public Optional<Long> thinks() {
            return own.nextDouble() < kind.another()
                    ? Optional.of((long) (NANOS_PER_SECOND * exponential(own, meanThinkSeconds)))
                    : Optional.empty();
        }

        private int length(Lengths of) {
            double value = of.median() * Math.exp(of.sigma() * own.nextGaussian());
            return Math.clamp(Math.round(value), 1, of.most());
        }
    }

    private SessionClass kind(double at) {
        double left = at;
        for (SessionClass each : shape.classes()) {
            left -= each.share();
            if (left < 0) {
                return each;
            }
        }
        return shape.classes().getLast();
    }

    static double exponential(SplittableRandom random, double mean) {
        return -mean * Math.log(1 - random.nextDouble());
    }

    @Override
    public Session nextSession() {
        return new GeneratedSession();
    }

    @Override
    public long nextArrival() {
        double perSecond = arrivals.requestsPerSecond() / shape.meanTurns();
        if (!arrivals.bursty()) {
            seconds += exponential(random, 1 / perSecond);
            return (long) (NANOS_PER_SECOND * seconds);
        }
        double next = seconds + exponential(random, 1 / (perSecond * rate()));
        while (next > phaseEnd) {
            // An exponential wait may begin anew at any time.
            seconds = phaseEnd;
            busy = !busy;
            phaseEnd += exponential(random, busy ? MEAN_BUSY_SECONDS : quietSeconds());
            next = seconds + exponential(random, 1 / (perSecond * rate()));
        }
        seconds = next;
        return (long) (NANOS_PER_SECOND * seconds);
    }

    private static double quietSeconds() {
        return MEAN_BUSY_SECONDS * (1 - BUSY_SHARE) / BUSY_SHARE;
    }

    private double rate() {
        return busy ? BUSY_RATE : (1 - BUSY_SHARE * BUSY_RATE) / (1 - BUSY_SHARE);
    }
}
