package dev.varve.platform.sampling;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The oracle: every stage as its definition reads, in double, with full sorts and no regard for
 * speed.
 */
final class PlainSampling {
    private PlainSampling() {}

    /** Returns the probability of each token, 0 for those that are filtered out. */
    static double[] distribution(
            float[] row,
            SamplingOptions options,
            List<Integer> prompt,
            List<Integer> generated,
            Set<Integer> suppressed) {
        double[] logits = adjusted(row, options, prompt, generated, suppressed);
        List<Integer> ranked =
                IntStream.range(0, row.length)
                        .boxed()
                        .sorted(
                                Comparator.comparingDouble((Integer token) -> -logits[token])
                                        .thenComparing(token -> token))
                        .toList();
        if (options.temperature() == 0) {
            return normalised(new double[row.length], ranked.subList(0, 1), logits, 1);
        }
        List<Integer> kept =
                options.cutoffs().topK() == 0
                        ? ranked
                        : ranked.subList(0, Math.min(options.cutoffs().topK(), ranked.size()));
        double[] all = normalised(new double[row.length], kept, logits, options.temperature());
        int nucleus = 0;
        double reached = 0;
        while (nucleus < kept.size() && reached < options.cutoffs().topP()) {
            reached += all[kept.get(nucleus++)];
        }
        kept =
                (options.cutoffs().topP() == 1 ? kept : kept.subList(0, nucleus))
                        .stream()
                                .filter(
                                        token ->
                                                all[token]
                                                        >= options.cutoffs().minP()
                                                                * all[ranked.getFirst()])
                                .toList();
        return normalised(new double[row.length], kept, logits, options.temperature());
    }

    /**
     * Returns the first token, in the order of ids, at which the running sum exceeds the uniform
     * number.
     */
    static int draw(double[] distribution, double uniform) {
        double sum = 0;
        for (int token = 0; token < distribution.length; token++) {
            sum += distribution[token];
            if (sum > uniform) {
                return token;
            }
        }
        throw new AssertionError("the distribution sums to " + sum + ", drawn was " + uniform);
    }

    private static double[] adjusted(
            float[] row,
            SamplingOptions options,
            List<Integer> prompt,
            List<Integer> generated,
            Set<Integer> suppressed) {
        double[] logits = IntStream.range(0, row.length).mapToDouble(i -> row[i]).toArray();
        options.logitBias().forEach((token, bias) -> logits[token] += bias);
        List<Integer> history =
                IntStream.concat(
                                prompt.stream().mapToInt(t -> t),
                                generated.stream().mapToInt(t -> t))
                        .boxed()
                        .toList();
        for (int token :
                new HashSet<>(history.subList(Math.max(0, history.size() - 256), history.size()))) {
            double penalty = options.penalties().repetition();
            logits[token] = logits[token] > 0 ? logits[token] / penalty : logits[token] * penalty;
        }
        for (int token : new HashSet<>(generated)) {
            long count = generated.stream().filter(t -> t == token).count();
            logits[token] -=
                    options.penalties().frequency() * count + options.penalties().presence();
        }
        suppressed.forEach(token -> logits[token] = Double.NEGATIVE_INFINITY);
        return logits;
    }

    private static double[] normalised(
            double[] target, List<Integer> kept, double[] logits, double temperature) {
        double highest = kept.stream().mapToDouble(token -> logits[token]).max().orElseThrow();
        kept.forEach(token -> target[token] = Math.exp((logits[token] - highest) / temperature));
        double total = Arrays.stream(target).sum();
        Arrays.setAll(target, i -> target[i] / total);
        return target;
    }
}
