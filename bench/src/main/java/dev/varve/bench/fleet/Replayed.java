package dev.varve.bench.fleet;

import dev.varve.bench.http.Percentiles;
import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.Usage;
import dev.varve.fleet.FleetResult;

import java.util.List;
import java.util.Locale;

/**
 * Figures of a workload, measured or simulated.
 *
 * @param firstTokenP50 median time to the first token in ms
 * @param firstTokenP95 95 % are at most this, in ms
 * @param tokensPerSecond tokens of prompts and responses per second of the fleet
 * @param hitRate share of prompt tokens that were cached, between 0 and 1
 */
record Replayed(
        double firstTokenP50, double firstTokenP95, double tokensPerSecond, double hitRate) {
    /**
     * Returns the figures of answers.
     *
     * @param nanos time from the first request to the last end
     */
    static Replayed of(List<Answer> answers, long nanos) {
        Percentiles first = Percentiles.of(answers.stream().map(Answer::firstTokenNanos).toList());
        long tokens =
                answers.stream()
                        .mapToLong(
                                each -> each.tokens() + each.usage().orElseThrow().promptTokens())
                        .sum();
        return new Replayed(
                first.millis(50), first.millis(95), tokens * 1e9 / nanos, hitRate(answers));
    }

    private static double hitRate(List<Answer> answers) {
        List<Usage> usages = answers.stream().map(each -> each.usage().orElseThrow()).toList();
        long prompts = usages.stream().mapToLong(Usage::promptTokens).sum();
        return (double) usages.stream().mapToLong(Usage::cachedTokens).sum() / prompts;
    }

    /** Returns the figures of a simulated fleet. */
    static Replayed of(FleetResult result) {
        return new Replayed(
                result.firstTokenMillis().p50(),
                result.firstTokenMillis().p95(),
                result.tokensPerReplicaSecond() * result.replicas(),
                result.hitRate());
    }

    /** Returns a table of measured figures, simulated ones, and their deviation in percent. */
    static String table(Replayed measured, Replayed simulated) {
        return "| figure | measured | simulated | deviation |\n|---|---|---|---|\n"
                + row("TTFT p50 ms", measured.firstTokenP50, simulated.firstTokenP50)
                + row("TTFT p95 ms", measured.firstTokenP95, simulated.firstTokenP95)
                + row("tokens/s", measured.tokensPerSecond, simulated.tokensPerSecond)
                + row("hit rate %", 100 * measured.hitRate, 100 * simulated.hitRate);
    }

    private static String row(String name, double measured, double simulated) {
        return String.format(
                Locale.ROOT,
                "| %s | %.1f | %.1f | %+.1f %% |%n",
                name,
                measured,
                simulated,
                deviation(measured, simulated));
    }

    /** Returns by how many percent a simulated figure is above the measured one. */
    static double deviation(double measured, double simulated) {
        return 100 * (simulated / measured - 1);
    }
}
