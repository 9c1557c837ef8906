package dev.varve.fleet;

/** Counts what a fleet does. */
final class FleetMeter {
    /** Tokens of a block of cache events, as in docs/kv-events.md. */
    private static final int EVENT_BLOCK_TOKENS = 256;

    private final Histogram firstTokenNanos = new Histogram();
    private final Histogram tokenNanos = new Histogram();
    private final Histogram queueLength = new Histogram();
    private long finished;
    private long rejected;
    private long moved;
    private long failures;
    private long handedOff;
    private long restored;
    private long promptTokens;
    private long cachedTokens;
    private long servedTokens;
    private long blockEvents;
    private long mostIndexBlocks;

    void countEnd(SimRequest request, long now) {
        finished++;
        firstTokenNanos.add(request.firstToken() - request.arrival());
        servedTokens += request.known();
        int further = request.generated() - 1;
        if (further > 0) {
            tokenNanos.add((double) (now - request.firstToken()) / further);
        }
    }

    void countStart(Turn turn, int cached) {
        promptTokens += turn.promptTokens();
        cachedTokens += cached;
    }

    void countRestored(int tokens) {
        restored++;
        cachedTokens += tokens;
    }

    void countRejected() {
        rejected++;
    }

    void countMoved() {
        moved++;
    }

    void countFailure() {
        failures++;
    }

    void countHandOff() {
        handedOff++;
    }

    void countQueue(int length) {
        queueLength.add(length);
    }

    void countEvents(int before, int after) {
        blockEvents += Math.abs(after / EVENT_BLOCK_TOKENS - before / EVENT_BLOCK_TOKENS);
    }

    void countIndex(long blocks) {
        mostIndexBlocks = Math.max(mostIndexBlocks, blocks);
    }

    /** Returns the number of requests that ended, well or not. */
    long ended() {
        return finished + rejected;
    }

    FleetResult result(FleetOptions options, double seconds, long storeBytes) {
        return new FleetResult(
                options.policy(),
                options.replicas(),
                new FleetResult.Counts(finished, rejected, moved, failures, handedOff, restored),
                seconds,
                FleetResult.Percentiles.millis(firstTokenNanos),
                FleetResult.Percentiles.millis(tokenNanos),
                promptTokens == 0 ? 0 : (double) cachedTokens / promptTokens,
                servedTokens / seconds / options.replicas(),
                new FleetResult.Queue(queueLength.mean(), queueLength.percentile(95)),
                new FleetResult.Scaling(
                        blockEvents / seconds, mostIndexBlocks, storeBytes / seconds));
    }
}
