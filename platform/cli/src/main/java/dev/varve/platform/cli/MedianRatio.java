package dev.varve.platform.cli;

import java.util.Arrays;
import java.util.Random;

/**
 * The median of ratios and its 90 % confidence interval.
 *
 * @param median of the ratios
 * @param low lower end of the 90 % interval, by the percentile bootstrap
 * @param high its upper end
 */
public record MedianRatio(double median, double low, double high) {
    private static final int RESAMPLES = 10_000;

    /** Computes the median of the ratios of pairs, first by second, with a fixed seed. */
    public static MedianRatio of(double[] first, double[] second) {
        double[] ratios = new double[first.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = first[i] / second[i];
        }
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
        return new MedianRatio(
                median(ratios), medians[RESAMPLES / 20], medians[RESAMPLES - RESAMPLES / 20 - 1]);
    }

    /** Returns the middle value, or the mean of the two middle ones. */
    public static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
