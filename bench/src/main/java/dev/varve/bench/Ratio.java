package dev.varve.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Pairs of a figure of ours and one of the reference, taken next to each other in time. */
final class Ratio {
    private static final int RESAMPLES = 10_000;

    private final String name;
    private final List<double[]> pairs = new ArrayList<>();

    Ratio(String name) {
        this.name = name;
    }

    void add(double ours, double reference) {
        pairs.add(new double[] {ours, reference});
    }

    double median() {
        return median(ratios());
    }

    /** Whether the median is at least 0.97 and the interval reaches 1. */
    boolean holds() {
        return median() >= 0.97 && interval()[1] >= 1;
    }

    /** 90 % interval of the median by the percentile bootstrap, with a fixed seed. */
    double[] interval() {
        double[] ratios = ratios();
        Random random = new Random(1);
        double[] medians = new double[RESAMPLES];
        double[] sample = new double[ratios.length];
        for (int i = 0; i < RESAMPLES; i++) {
            for (int j = 0; j < sample.length; j++) {
                sample[j] = ratios[random.nextInt(ratios.length)];
            }
            medians[i] = median(sample);
        }
        Arrays.sort(medians);
        return new double[] {medians[RESAMPLES / 20], medians[RESAMPLES - RESAMPLES / 20 - 1]};
    }

    String describe() {
        double[] interval = interval();
        return String.format(
                Locale.ROOT,
                "%-24s varve %8.1f  libllama %8.1f tokens/s  ratio %.3f  90%% interval [%.3f, %.3f]"
                        + "  %s",
                name,
                median(column(0)),
                median(column(1)),
                median(),
                interval[0],
                interval[1],
                holds() ? "holds" : "MISSED");
    }

    private double[] ratios() {
        return pairs.stream().mapToDouble(pair -> pair[0] / pair[1]).toArray();
    }

    private double[] column(int index) {
        return pairs.stream().mapToDouble(pair -> pair[index]).toArray();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
