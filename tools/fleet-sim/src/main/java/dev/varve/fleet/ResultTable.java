package dev.varve.fleet;

import java.util.List;
import java.util.Locale;

/** Results as a table in Markdown. */
final class ResultTable {
    private static final String HEAD =
            "| replicas | routing | TTFT p50 / p95 / p99 s | ms/token p50 / p95 / p99 | hit rate"
                    + " | tokens/replica s | queue mean / p95 | refused | moved | events/s"
                    + " | index MB | store MB/s |\n"
                    + "|---|---|---|---|---|---|---|---|---|---|---|---|\n";

    private ResultTable() {}

    static String of(List<Scenario.Outcome> outcomes) {
        StringBuilder table = new StringBuilder(HEAD);
        outcomes.forEach(each -> table.append(row(each)));
        return table.toString();
    }

    static String row(Scenario.Outcome outcome) {
        FleetResult result = outcome.result();
        FleetResult.Percentiles first = result.firstTokenMillis();
        FleetResult.Percentiles token = result.tokenMillis();
        return String.format(
                Locale.ROOT,
                "| %d | %s | %.1f / %.1f / %.1f | %.0f / %.0f / %.0f | %.1f %% | %.0f"
                        + " | %.1f / %.0f | %d | %d | %.1f | %.2f | %.1f |%n",
                result.replicas(),
                outcome.scenario(),
                first.p50() / 1e3,
                first.p95() / 1e3,
                first.p99() / 1e3,
                token.p50(),
                token.p95(),
                token.p99(),
                100 * result.hitRate(),
                result.tokensPerReplicaSecond(),
                result.queue().mean(),
                result.queue().p95(),
                result.counts().rejected(),
                result.counts().moved(),
                result.scaling().blockEventsPerSecond(),
                result.scaling().indexBytes() / 1e6,
                result.scaling().storeBytesPerSecond() / 1e6);
    }
}
