package dev.varve.fleet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Draws tokens per replica second and p95 of the time to the first token against the number of
 * replicas, as SVG without scripts or fonts of its own.
 */
final class ScalingChart {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 400;
    private static final int PANEL = 360;
    private static final int PLOT = 250;
    private static final int TOP = 50;
    private static final int TICKS = 4;
    private static final List<String> COLORS =
            List.of(
                    "#c0392b", "#e67e22", "#b7950b", "#2471a3", "#1e8449", "#7d3c98", "#117a65",
                    "#909497", "#5d4037");

    private final Map<String, List<FleetResult>> lines = new LinkedHashMap<>();
    private final List<Integer> replicas;
    private final StringBuilder svg = new StringBuilder();

    private ScalingChart(List<Scenario.Outcome> outcomes) {
        for (Scenario.Outcome outcome : outcomes) {
            lines.computeIfAbsent(outcome.scenario(), any -> new ArrayList<>())
                    .add(outcome.result());
        }
        replicas = outcomes.stream().map(each -> each.result().replicas()).distinct().toList();
    }

    /** Returns the chart; the results of a scenario are in the order of their replicas. */
    static String of(List<Scenario.Outcome> outcomes) {
        return new ScalingChart(outcomes).draw();
    }

    private String draw() {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">%n",
                WIDTH, HEIGHT);
        add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>%n", WIDTH, HEIGHT);
        panel(60, "tokens per replica and second", FleetResult::tokensPerReplicaSecond);
        panel(70 + PANEL, "TTFT p95 in s", result -> result.firstTokenMillis().p95() / 1e3);
        legend();
        return svg.append("</svg>\n").toString();
    }

    private void panel(int left, String title, ToDoubleFunction<FleetResult> value) {
        double most =
                lines.values().stream().flatMap(List::stream).mapToDouble(value).max().orElse(1);
        double scale = Math.max(1, nice(most));
        text(left, TOP - 20, "start", title);
        for (int tick = 0; tick <= TICKS; tick++) {
            double y = TOP + PLOT - (double) PLOT * tick / TICKS;
            add(
                    "<path d=\"M%d %.1f h%d\" stroke=\"#dddddd\" fill=\"none\"/>%n",
                    left, y, PANEL - 80);
            text(left - 6, y + 4, "end", number(scale * tick / TICKS));
        }
        for (int i = 0; i < replicas.size(); i++) {
            text(x(left, i), TOP + PLOT + 18, "middle", String.valueOf(replicas.get(i)));
        }
        text(left + (PANEL - 80) / 2.0, TOP + PLOT + 38, "middle", "replicas");
        int color = 0;
        for (List<FleetResult> line : lines.values()) {
            line(left, line, value, scale, COLORS.get(color++ % COLORS.size()));
        }
    }

    private void line(
            int left,
            List<FleetResult> line,
            ToDoubleFunction<FleetResult> value,
            double scale,
            String color) {
        StringBuilder points = new StringBuilder();
        for (FleetResult result : line) {
            double x = x(left, replicas.indexOf(result.replicas()));
            double y = TOP + PLOT - PLOT * value.applyAsDouble(result) / scale;
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        }
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n",
                points.toString().strip(), color);
    }

    private double x(int left, int index) {
        return left + (double) (PANEL - 80) * index / Math.max(1, replicas.size() - 1);
    }

    private void legend() {
        int row = 0;
        for (String name : lines.keySet()) {
            int y = TOP + 20 * row;
            add(
                    "<path d=\"M770 %d h24\" stroke=\"%s\" stroke-width=\"3\"/>%n",
                    y, COLORS.get(row % COLORS.size()));
            text(802, y + 4, "start", name);
            row++;
        }
    }

    /** Returns a round number that is not less. */
    private static double nice(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1e-9))));
        for (double step : new double[] {1, 2, 4, 6, 8}) {
            if (value <= step * power) {
                return step * power;
            }
        }
        return 10 * power;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.1f", value);
    }

    private void text(double x, double y, String anchor, String content) {
        add(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#222222\">%s</text>%n",
                x, y, anchor, content);
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}
