package dev.varve.bench;

import dev.varve.platform.cli.MedianRatio;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Pairs of a figure of Varve and one of the reference, taken next to each other in time. */
public final class Ratio {
    /** Range in which the median lies nine times of ten. */
    public record Interval(double low, double high) {}

    private final String name;
    private final double goal;
    private final List<double[]> pairs = new ArrayList<>();

    /** No pairs yet; the goal is to be as good as the reference. */
    public Ratio(String name) {
        this(name, 1);
    }

    /**
     * No pairs yet.
     *
     * @param goal the least ratio that is required
     */
    Ratio(String name, double goal) {
        this.name = name;
        this.goal = goal;
    }

    /** Adds a pair; a reference of 0 has no ratio. */
    public void add(double ours, double reference) {
        if (reference == 0) {
            throw new IllegalArgumentException(name + ": expected a reference other than 0");
        }
        pairs.add(new double[] {ours, reference});
    }

    /** Median of the ratios of all pairs; one above 1 says that ours is the larger figure. */
    public double median() {
        return median(ratios());
    }

    /** Whether the median is at least 0.97 of the goal, which the interval reaches. */
    boolean holds() {
        return median() >= 0.97 * goal && interval().high() >= goal;
    }

    /** 90 % interval of the median. */
    public Interval interval() {
        MedianRatio ratio = MedianRatio.of(column(0), column(1));
        return new Interval(ratio.low(), ratio.high());
    }

    String describe() {
        return describe("varve", "libllama");
    }

    /** The same with other names for both sides. */
    String describe(String ours, String reference) {
        Interval interval = interval();
        return String.format(
                Locale.ROOT,
                "%-24s %s %8.1f  %s %8.1f tokens/s  ratio %.3f  90%% interval [%.3f, %.3f]  %s",
                name,
                ours,
                median(column(0)),
                reference,
                median(column(1)),
                median(),
                interval.low(),
                interval.high(),
                holds() ? "holds" : "MISSED");
    }

    private double[] ratios() {
        return pairs.stream().mapToDouble(pair -> pair[0] / pair[1]).toArray();
    }

    private double[] column(int index) {
        return pairs.stream().mapToDouble(pair -> pair[index]).toArray();
    }

    /** The middle value, or the mean of the two middle ones. */
    public static double median(double... values) {
        return MedianRatio.median(values);
    }
}
