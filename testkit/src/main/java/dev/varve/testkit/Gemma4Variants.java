package dev.varve.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

/**
 * Odd {@link Gemma4Model}s. Forms follow from remainders of the seed, so that each is known to
 * occur; sizes are random.
 *
 * <ul>
 *   <li>seed mod 3: 0 per-layer embeddings and shared rows, 1 experts, 2 dense with values from
 *       keys in full layers
 *   <li>seed mod 4: 0 no key for the limit of the logits, 1 no limit, otherwise any
 *   <li>seed mod 5: 4 a window of 512, otherwise a small one; 1 twice the query heads in full
 *       layers
 *   <li>seed mod 6: 0 shared layers with a feed-forward of double width, 3 of the same; 4 values
 *       from keys beside experts
 *   <li>seed mod 7: 6 heads of 512 in full layers, 5 heads of 256 and 512 as released, otherwise
 *       double ones
 *   <li>seed mod 8: 3 fused projections
 *   <li>half the seed mod 6: the type of the matrices
 * </ul>
 */
final class Gemma4Variants {
    private static final List<TensorType> TYPES =
            List.of(
                    TensorType.F16,
                    TensorType.Q8_0,
                    TensorType.Q4_0,
                    TensorType.Q4_K,
                    TensorType.Q6_K,
                    TensorType.BF16);

    private final long seed;
    private final SplittableRandom random;

    Gemma4Variants(long seed) {
        this.seed = seed;
        random = new SplittableRandom(seed * 6151 + 29);
    }

    Gemma4Model model() {
        boolean sharing = is(3, 0);
        int period = 2 + random.nextInt(3);
        int layers = 2 * period + random.nextInt(2) * period;
        boolean valuesFromKeys = is(3, 2) || is(6, 4);
        int kvHeads = 1 + random.nextInt(2);
        int fullKvHeads = valuesFromKeys ? 1 : kvHeads;
        int heads = 2 * kvHeads * (1 + random.nextInt(2));
        int drawnHeadDim = pick(32, 64, 64, 128);
        int headDim = is(7, 5) ? 256 : drawnHeadDim;
        int shared = sharing ? period * (1 + random.nextInt(layers / period - 1)) : 0;
        int experts = 4 + random.nextInt(9);
        return new Gemma4Model(
                new Qwen35Model.Size(
                        layers,
                        pick(96, 160, 256, 288),
                        pick(160, 224, 416, 512),
                        Gemma4Vocabulary.MINIMUM + 9 + random.nextInt(200),
                        4096),
                new Gemma4Model.Attention(
                        sliding(layers, period),
                        is(5, 4) ? 512 : pick(9, 24, 57, 100),
                        heads,
                        is(5, 1) ? 2 * heads : heads,
                        kvHeads,
                        fullKvHeads,
                        headDim,
                        is(7, 6) ? 512 : 2 * headDim,
                        valuesFromKeys,
                        is(8, 3)),
                sharing ? new Gemma4Model.Sharing(shared, is(6, 0)) : Gemma4Model.Sharing.NONE,
                // Not 32: libllama's products for matrix registers go wrong with rows of one tile.
                sharing ? pick(16, 64, 48) : 0,
                is(3, 1) ? experts(experts) : Gemma4Model.Experts.NONE,
                softcap(),
                new Gemma4Model.Weights(
                        TYPES.get(Math.floorMod(seed / 2, TYPES.size())),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        false,
                        seed),
                Gemma4Model.TEMPLATE);
    }

    /** All layers slide but the last of each period. */
    private static List<Boolean> sliding(int layers, int period) {
        List<Boolean> sliding = new ArrayList<>();
        for (int layer = 0; layer < layers; layer++) {
            sliding.add(layer % period != period - 1);
        }
        return sliding;
    }

    private Gemma4Model.Experts experts(int count) {
        return new Gemma4Model.Experts(
                count,
                1 + random.nextInt(Math.min(4, count)),
                pick(64, 96),
                random.nextBoolean(),
                random.nextBoolean());
    }

    private OptionalDouble softcap() {
        if (is(4, 0)) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(is(4, 1) ? 0 : 10 + random.nextInt(30));
    }

    private boolean is(int divisor, int remainder) {
        return Math.floorMod(seed, divisor) == remainder;
    }

    private int pick(int... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
