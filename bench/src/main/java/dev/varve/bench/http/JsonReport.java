package dev.varve.bench.http;

import dev.varve.bench.Ratio;
import dev.varve.bench.http.stream.Target;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** One JSON object with everything, when all is done. */
final class JsonReport implements Report {
    private final PrintWriter out;
    private final ObjectNode result = JsonMapper.shared().createObjectNode();
    private final ArrayNode scenarios = JsonMapper.shared().createArrayNode();
    private final ArrayNode errors = JsonMapper.shared().createArrayNode();

    JsonReport(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void begin(BenchPlan plan, List<Side> sides) {
        for (int i = 0; i < sides.size(); i++) {
            Target target = sides.get(i).client().target();
            ObjectNode side =
                    result.putObject(i == 0 ? "server" : "peer")
                            .put("url", target.toString())
                            .put("tokens_from", sides.get(i).tokensFrom());
            target.model().ifPresent(model -> side.put("model", model));
        }
        BenchPlan.Repeats repeats = plan.repeats();
        result.put("seed", repeats.seed())
                .put("pairs", repeats.pairs())
                .put("runs", repeats.runs())
                .put("settle_ms", repeats.settle().toMillis());
        plan.workload().put(result.putObject("workload"));
    }

    @Override
    public void section(Section section) {
        ObjectNode json =
                scenarios
                        .addObject()
                        .put("scenario", section.heading().scenario().toString())
                        .put("clients", section.heading().clients())
                        .put("rounds", section.rounds());
        ObjectNode figures = json.putObject("figures");
        section.series()
                .forEach((metric, series) -> put(figures.putObject(metric.key()), metric, series));
    }

    private static void put(ObjectNode figure, Metric metric, Series series) {
        figure.put("better", metric.better().name().toLowerCase(Locale.ROOT));
        figure.put("server", Series.median(series.server()));
        if (series.hasPeer()) {
            figure.put("peer", Series.median(series.peer()));
        }
        series.ratio(metric).ifPresent(ratio -> put(figure, ratio));
        putAll(figure.putArray("server_rounds"), series.server());
        if (series.hasPeer()) {
            putAll(figure.putArray("peer_rounds"), series.peer());
        }
    }

    private static void put(ObjectNode figure, Ratio ratio) {
        Ratio.Interval interval = ratio.interval();
        figure.put("ratio", ratio.median());
        figure.putArray("interval").add(interval.low()).add(interval.high());
    }

    private static void putAll(ArrayNode array, List<Double> values) {
        values.forEach(value -> array.add(value.doubleValue()));
    }

    @Override
    public void failed(String reason) {
        errors.add(reason);
    }

    @Override
    public void end() {
        result.set("scenarios", scenarios);
        result.set("errors", errors);
        out.println(JsonMapper.shared().writeValueAsString(result));
        out.flush();
    }
}
