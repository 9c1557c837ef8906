package dev.varve.bench.http;

import dev.varve.bench.Ratio;
import dev.varve.bench.http.stream.Target;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** Prints tables for people, each as soon as it is known. */
final class TextReport implements Report {
    /** The metrics of each number of clients in the table of the curve. */
    private static final List<Metric> CURVE =
            List.of(Metric.TOKENS_PER_SECOND, Metric.TTFT_P50, Metric.GAP_P95);

    private final PrintWriter out;
    private boolean curveBegun;
    private boolean peer;

    TextReport(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void begin(BenchPlan plan, List<Side> sides) {
        peer = sides.size() > 1;
        for (int i = 0; i < sides.size(); i++) {
            Target target = sides.get(i).client().target();
            line(
                    "%-7s %s, model %s, tokens from %s",
                    i == 0 ? "server" : "peer",
                    target,
                    target.model().orElse("of the server"),
                    sides.get(i).tokensFrom());
        }
        line("seed    %d", plan.repeats().seed());
        out.flush();
    }

    @Override
    public void section(Section section) {
        if (section.heading().scenario() == Scenario.CURVE) {
            curve(section);
        } else {
            figures(section);
        }
        out.flush();
    }

    @Override
    public void failed(String reason) {
        // Failures are printed on the other stream.
    }

    @Override
    public void end() {
        out.flush();
    }

    private void figures(Section section) {
        line("");
        line(
                "%s: %s; %s",
                section.heading().scenario(),
                section.heading().title(),
                section.rounds() == 0
                        ? "no round came to its end"
                        : "medians of " + section.rounds() + " rounds");
        boolean compared = section.series().values().stream().anyMatch(Series::hasPeer);
        if (compared) {
            line("  %-20s %11s %11s   %s", "", "server", "peer", "ratio, 90 % interval");
        }
        section.series()
                .forEach(
                        (metric, series) ->
                                line(
                                        "  %-20s %s",
                                        metric.label(),
                                        compared ? both(metric, series) : one(series)));
    }

    private void curve(Section section) {
        if (!curveBegun) {
            curveBegun = true;
            line("");
            line("curve: medians%s", peer ? "; server, peer, ratio, 90 % interval" : "");
            line("  clients%s", cells(Metric::label));
        }
        line("  %7d%s", section.heading().clients(), cells(metric -> cell(section, metric)));
    }

    private String cells(Function<Metric, String> text) {
        StringBuilder row = new StringBuilder();
        for (Metric metric : CURVE) {
            row.append(String.format(Locale.ROOT, peer ? "  %-46s" : " %13s", text.apply(metric)));
        }
        return row.toString();
    }

    private static String cell(Section section, Metric metric) {
        return Optional.ofNullable(section.series().get(metric))
                .map(series -> series.hasPeer() ? both(metric, series) : one(series))
                .orElse("-");
    }

    private static String one(Series series) {
        return number(Series.median(series.server()));
    }

    private static String both(Metric metric, Series series) {
        return number(Series.median(series.server()))
                + " "
                + number(Series.median(series.peer()))
                + series.ratio(metric).map(TextReport::describe).orElse("");
    }

    private static String describe(Ratio ratio) {
        Ratio.Interval interval = ratio.interval();
        return String.format(
                Locale.ROOT,
                "   %.3f [%.3f, %.3f]",
                ratio.median(),
                interval.low(),
                interval.high());
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%11.2f", value);
    }

    private void line(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values).stripTrailing());
    }
}
