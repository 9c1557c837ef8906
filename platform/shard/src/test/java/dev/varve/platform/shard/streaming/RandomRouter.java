package dev.varve.platform.shard.streaming;

import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Chooses experts of layers at random: the expert of rank r of a layer is chosen in proportion to
 * r<sup>-skew</sup>; the ranks differ between layers. Skew 0 chooses all equally often.
 */
final class RandomRouter {
    private final Random random;
    private final double[][] logWeights;
    private final int used;

    RandomRouter(int layers, int experts, int used, double skew, long seed) {
        this.used = used;
        random = new Random(seed);
        logWeights = new double[layers][];
        for (int layer = 0; layer < layers; layer++) {
            double[] keys = random.doubles(experts).toArray();
            logWeights[layer] = new double[experts];
            int[] byKey = order(keys);
            for (int rank = 0; rank < experts; rank++) {
                logWeights[layer][byKey[rank]] = -skew * Math.log(rank + 1);
            }
        }
    }

    /** Returns different experts of a layer, in the order of their numbers. */
    int[] choose(int layer) {
        double[] keys = new double[logWeights[layer].length];
        for (int i = 0; i < keys.length; i++) {
            // The largest sums of logarithms of weights and Gumbel noise are a weighted sample.
            double gumbel = -Math.log(-Math.log(1 - random.nextDouble()));
            keys[i] = -(logWeights[layer][i] + gumbel);
        }
        return IntStream.of(order(keys)).limit(used).sorted().toArray();
    }

    /** Returns a guess of chosen experts, each of which is right with a probability. */
    int[] guess(int[] chosen, int experts, double accuracy) {
        return IntStream.of(chosen)
                .map(right -> random.nextDouble() < accuracy ? right : random.nextInt(experts))
                .distinct()
                .toArray();
    }

    private static int[] order(double[] keys) {
        return IntStream.range(0, keys.length)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> keys[i]))
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
