package dev.varve.fleet;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
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
    private static final String TITLE =
            "Tokens per replica and second, and time to the first token, by number of replicas";
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
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                        + " height=\"%d\" role=\"img\" font-family=\"system-ui, sans-serif\""
                        + " font-size=\"12\">%n<title>%s</title>%n",
                WIDTH, HEIGHT, WIDTH, HEIGHT, TITLE);
        add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>%n", WIDTH, HEIGHT);
        panel(60, "tokens per replica and second", FleetResult::tokensPerReplicaSecond, Axis::even);
        panel(
                70 + PANEL,
                "TTFT p95 in s",
                result -> result.firstTokenMillis().p95() / 1e3,
                Axis::ofPowers);
        legend();
        return svg.append("</svg>\n").toString();
    }

    /**
     * Values of the vertical axis.
     *
     * @param ticks values that are written, the lowest first
     * @param logarithmic whether equal ratios have equal heights
     */
    private record Axis(List<Double> ticks, boolean logarithmic) {
        /** Returns an axis from 0 on. */
        static Axis even(double least, double most) {
            double power = Math.pow(10, Math.floor(Math.log10(Math.max(most, 1e-9))));
            double top = power * Math.ceil(most / power);
            return new Axis(List.of(0.0, top / 4, top / 2, top * 3 / 4, top), false);
        }

        /** Returns an axis whose values are powers of ten. */
        static Axis ofPowers(double least, double most) {
            List<Double> ticks = new ArrayList<>();
            double tick = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1e-3))));
            ticks.add(tick);
            while (tick < most || ticks.size() < 2) {
                tick *= 10;
                ticks.add(tick);
            }
            return new Axis(ticks, true);
        }

        /** Returns the height of a value, between 0 and 1. */
        double height(double value) {
            double low = scaled(ticks.getFirst());
            return Math.max(0, (scaled(value) - low) / (scaled(ticks.getLast()) - low));
        }

        private double scaled(double value) {
            return logarithmic ? Math.log(Math.max(value, 1e-9)) : value;
        }
    }

    private void panel(
            int left,
            String title,
            ToDoubleFunction<FleetResult> value,
            BiFunction<Double, Double, Axis> axes) {
        DoubleSummaryStatistics values =
                lines.values().stream()
                        .flatMap(List::stream)
                        .mapToDouble(value)
                        .summaryStatistics();
        Axis axis = axes.apply(values.getMin(), values.getMax());
        text(left, TOP - 20, "start", title);
        for (double tick : axis.ticks()) {
            double y = y(axis, tick);
            add(
                    "<path d=\"M%d %.1f h%d\" stroke=\"#dddddd\" fill=\"none\"/>%n",
                    left, y, PANEL - 80);
            text(left - 6, y + 4, "end", number(tick));
        }
        for (int i = 0; i < replicas.size(); i++) {
            text(x(left, i), TOP + PLOT + 18, "middle", String.valueOf(replicas.get(i)));
        }
        text(left + (PANEL - 80) / 2.0, TOP + PLOT + 38, "middle", "replicas");
        int color = 0;
        for (List<FleetResult> line : lines.values()) {
            line(left, line, value, axis, COLORS.get(color++ % COLORS.size()));
        }
    }

    private static double y(Axis axis, double value) {
        return TOP + PLOT - PLOT * axis.height(value);
    }

    private void line(
            int left,
            List<FleetResult> line,
            ToDoubleFunction<FleetResult> value,
            Axis axis,
            String color) {
        StringBuilder points = new StringBuilder();
        for (FleetResult result : line) {
            double x = x(left, replicas.indexOf(result.replicas()));
            double y = y(axis, value.applyAsDouble(result));
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
