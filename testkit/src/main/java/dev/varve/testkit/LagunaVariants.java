package dev.varve.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Odd {@link LagunaModel}s. Forms follow from remainders of the seed, so that each is known to
 * occur; sizes are random.
 *
 * <ul>
 *   <li>seed mod 5: 0 no window and several dense layers, 1 a small window with the standard
 *       pattern, 2 with flags, 3 with a period, 4 a window of 512 with the standard pattern
 *   <li>seed mod 3: 2 one head count for all layers, otherwise an array
 *   <li>seed mod 4: 3 a gate per element; the router's function absent for 0, softmax for 2,
 *       sigmoid otherwise
 *   <li>seed mod 6: 5 no YaRN; the type of the matrices
 *   <li>seed mod 7: 0 no {@code freq_base_swa}, 1 YaRN with {@code yarn_beta_fast} 64
 *   <li>seed mod 8: 1 and 4 weights of experts not normalised, 2 a shared expert as long as the
 *       others, 3 no scale, 5 fused projections, 6 a scale of 0
 *   <li>odd seeds name the rotated dimensions of windowed layers; seeds mod 4 below 2 mark the end
 *       of a turn
 * </ul>
 */
final class LagunaVariants {
    private static final List<TensorType> TYPES =
            List.of(
                    TensorType.F16,
                    TensorType.Q8_0,
                    TensorType.Q4_0,
                    TensorType.Q4_K,
                    TensorType.Q6_K,
                    TensorType.BF16);

    private final long seed;
    private final RandomGenerator random;
    private final int layers;

    private LagunaVariants(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed * 7907 + 41);
        this.layers = 4 + random.nextInt(4);
    }

    static LagunaModel odd(long seed) {
        return new LagunaVariants(seed).model();
    }

    private LagunaModel model() {
        boolean marked = rest(4) < 2;
        int vocabulary =
                TestVocabulary.minimum(TestVocabulary.laguna(marked)) + 9 + random.nextInt(200);
        LagunaModel.Window window = window();
        LagunaModel.Attention attention = attention(window);
        return new LagunaModel(
                new Qwen35Model.Size(
                        layers,
                        pick(96, 160, 256, 288),
                        pick(160, 224, 416, 512),
                        vocabulary,
                        2048),
                rest(5) == 0 ? 2 + random.nextInt(2) : random.nextInt(2),
                attention,
                window,
                rope(attention.headDim()),
                experts(),
                new LagunaModel.Weights(TYPES.get(rest(6)), random.nextBoolean(), false, seed),
                new LagunaModel.Chat(LagunaModel.TEMPLATE, marked));
    }

    private LagunaModel.Window window() {
        int small = 8 + random.nextInt(93);
        return switch (rest(5)) {
            case 0 -> LagunaModel.Window.NONE;
            case 2 -> new LagunaModel.Window(small, new LagunaModel.Pattern.Flags(flags()));
            case 3 ->
                    new LagunaModel.Window(
                            small, new LagunaModel.Pattern.Period(2 + random.nextInt(3)));
            case 4 -> new LagunaModel.Window(512, new LagunaModel.Pattern.Standard());
            default -> new LagunaModel.Window(small, new LagunaModel.Pattern.Standard());
        };
    }

    /** Windowed first, full last, and anything between. */
    private List<Boolean> flags() {
        List<Boolean> flags = new ArrayList<>();
        for (int layer = 0; layer < layers; layer++) {
            flags.add(layer == 0 || layer < layers - 1 && random.nextBoolean());
        }
        return flags;
    }

    private LagunaModel.Attention attention(LagunaModel.Window window) {
        int kvHeads = 1 + random.nextInt(3);
        int fullHeads = kvHeads * (1 + random.nextInt(3));
        int windowHeads = fullHeads + kvHeads * (1 + random.nextInt(2));
        List<Integer> heads =
                rest(3) == 2
                        ? List.of(fullHeads)
                        : Stream.iterate(0, layer -> layer + 1)
                                .limit(layers)
                                .map(layer -> window.covers(layer) ? windowHeads : fullHeads)
                                .toList();
        return new LagunaModel.Attention(
                heads, kvHeads, pick(32, 64, 96, 128), rest(4) == 3, rest(8) == 5);
    }

    private LagunaModel.Rope rope(int headDim) {
        OptionalDouble betaFast = rest(7) == 1 ? OptionalDouble.of(64) : OptionalDouble.empty();
        LagunaModel.Yarn yarn = new LagunaModel.Yarn(pick(4, 8, 32), pick(64, 128, 256), betaFast);
        return new LagunaModel.Rope(
                random.nextBoolean() ? headDim / 2 : headDim - 8,
                rest(2) == 1 ? OptionalInt.of(headDim) : OptionalInt.empty(),
                500000,
                rest(7) == 0 ? OptionalDouble.empty() : OptionalDouble.of(10000),
                rest(6) == 5 ? Optional.empty() : Optional.of(yarn));
    }

    private LagunaModel.Experts experts() {
        int count = 3 + random.nextInt(22);
        LagunaModel.Gating gating =
                switch (rest(4)) {
                    case 0 -> LagunaModel.Gating.ABSENT;
                    case 2 -> LagunaModel.Gating.SOFTMAX;
                    default -> LagunaModel.Gating.SIGMOID;
                };
        int used = 1 + random.nextInt(Math.min(count, 6));
        int feedForward = pick(32, 64, 96, 160, 256);
        int shared = pick(32, 96, 128, 256);
        return new LagunaModel.Experts(
                count,
                used,
                feedForward,
                rest(8) == 2 ? feedForward : shared,
                gating,
                rest(8) != 1 && rest(8) != 4,
                switch (rest(8)) {
                    case 3 -> OptionalDouble.empty();
                    case 6 -> OptionalDouble.of(0);
                    default -> OptionalDouble.of(2.5);
                });
    }

    private int rest(int divisor) {
        return Math.floorMod(seed, divisor);
    }

    private int pick(int... choices) {
        return Qwen35Model.pick(random, choices);
    }
}
