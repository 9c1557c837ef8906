package dev.varve.testkit;

import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Function by which a router turns its logits into weights of experts.
 *
 * @param sigmoid whether scores are sigmoids of single logits, instead of a softmax over all
 * @param biasDeviation deviation of the bias that is added to the scores for the choice of experts
 *     alone
 * @param normalised whether the weights of the chosen experts are made to sum up to 1
 * @param scale factor of the weights
 */
record Routing(
        int experts,
        int used,
        boolean sigmoid,
        double biasDeviation,
        boolean normalised,
        double scale) {
    /**
     * Size of the routed experts' output, where the output of all experts has size 1. Rounding now
     * and then exchanges the last expert in use for another one, and that moves the logits by up to
     * this share.
     */
    static final double ROUTED_SHARE = 0.5;

    /** Size of the shared expert's output. */
    static final double SHARED_SHARE = Math.sqrt(1 - ROUTED_SHARE * ROUTED_SHARE);

    private static final int SAMPLES = 400;

    Routing {
        if (experts < 1 || used < 1 || used > experts) {
            throw new IllegalArgumentException(used + " of " + experts + " experts");
        }
    }

    /** Normalised weights without a bias. */
    static Routing softmax(int experts, int used) {
        return new Routing(experts, used, false, 0, true, 1);
    }

    /**
     * Size of the weighted sum of independent expert outputs of unit size: the root mean square of
     * the length of the weights, over random logits.
     */
    double typicalSize() {
        SplittableRandom random = new SplittableRandom(1);
        double sum = 0;
        for (int sample = 0; sample < SAMPLES; sample++) {
            double[] scores = scores(random);
            double[] chosen = chosen(scores, random);
            double total = normalised ? Arrays.stream(chosen).sum() : 1;
            sum += Arrays.stream(chosen).map(weight -> Math.pow(weight / total, 2)).sum();
        }
        return scale * Math.sqrt(sum / SAMPLES);
    }

    private double[] scores(SplittableRandom random) {
        double[] logits = new double[experts];
        Arrays.setAll(logits, i -> RandomTensors.ROUTER_DEVIATION * random.nextGaussian());
        if (sigmoid) {
            return Arrays.stream(logits).map(logit -> 1 / (1 + Math.exp(-logit))).toArray();
        }
        double total = Arrays.stream(logits).map(Math::exp).sum();
        return Arrays.stream(logits).map(logit -> Math.exp(logit) / total).toArray();
    }

    private double[] chosen(double[] scores, SplittableRandom random) {
        double[] biased = Arrays.copyOf(scores, experts);
        for (int i = 0; i < experts; i++) {
            biased[i] += biasDeviation * random.nextGaussian();
        }
        return IntStream.range(0, experts)
                .boxed()
                .sorted(Comparator.comparingDouble(expert -> -biased[expert]))
                .limit(used)
                .mapToDouble(expert -> scores[expert])
                .toArray();
    }
}
