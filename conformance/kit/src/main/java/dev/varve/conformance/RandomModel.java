package dev.varve.conformance;

import dev.varve.platform.shard.CacheTypes;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.Gemma4Model;
import dev.varve.testkit.LagunaModel;
import dev.varve.testkit.OfArchitecture;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;
import dev.varve.testkit.Qwen3Model;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A random model of any family, small and odd. */
interface RandomModel {
    /** The families and variants that are tested alike. */
    enum Family implements OfArchitecture {
        QWEN35,
        QWEN35MOE,
        GEMMA4,
        LAGUNA,
        QWEN3;

        @Override
        public String architecture() {
            return name().toLowerCase(Locale.ROOT);
        }

        RandomModel odd(long seed) {
            return switch (this) {
                case QWEN35 -> of(Qwen35Model.odd(seed));
                case QWEN35MOE -> of(Qwen35MoeModel.odd(seed));
                case GEMMA4 -> of(Gemma4Model.odd(seed));
                case LAGUNA -> of(LagunaModel.odd(seed));
                case QWEN3 -> of(Qwen3Model.odd(seed));
            };
        }

        /** A seed whose heads are whole blocks of every cache type, with short windows. */
        long quantisableSeed() {
            return this == LAGUNA ? 1 : 8;
        }

        /**
         * Those that have more than full attention. Tests that take long leave out the others,
         * whose operators these have as well.
         */
        static List<Family> ofSeveralKinds() {
            return List.of(QWEN35, QWEN35MOE, GEMMA4, LAGUNA);
        }

        /** A model with the window of the released ones. */
        RandomModel longWindow() {
            return switch (this) {
                case GEMMA4 -> of(Gemma4Model.odd(9));
                case LAGUNA -> of(LagunaModel.odd(4));
                default -> throw new IllegalArgumentException(this + " has no windows");
            };
        }

        /** A model whose rows are whole blocks of every type of weights, and heads of caches. */
        RandomModel wide(TensorType type) {
            long seed = quantisableSeed();
            return switch (this) {
                case QWEN35 -> {
                    Qwen35Model odd = Qwen35Model.odd(seed).withType(type);
                    yield of(odd.withSize(wide(odd.size())));
                }
                case QWEN35MOE -> {
                    Qwen35MoeModel odd = Qwen35MoeModel.odd(seed).withType(type);
                    Qwen35Model.Size size = odd.dense().size();
                    // The length of the shared expert gives the length of the others.
                    yield of(odd.withDense(odd.dense().withSize(wide(size, size.feedForward()))));
                }
                case GEMMA4 -> {
                    // Its last layers share rows, and compute the last columns only.
                    Gemma4Model odd = Gemma4Model.odd(3).withType(type);
                    yield of(odd.withSize(wide(odd.size())));
                }
                case LAGUNA -> {
                    LagunaModel odd = LagunaModel.odd(seed).withType(type);
                    yield of(odd.withSize(wide(odd.size())));
                }
                case QWEN3 -> {
                    Qwen3Model odd = Qwen3Model.odd(seed).withType(type);
                    yield of(odd.withSize(wide(odd.size())));
                }
            };
        }

        private static Qwen35Model.Size wide(Qwen35Model.Size size) {
            return wide(size, 768);
        }

        private static Qwen35Model.Size wide(Qwen35Model.Size size, int feedForward) {
            return new Qwen35Model.Size(
                    size.layers(), 512, feedForward, size.vocabulary(), size.context());
        }

        RandomModel odd(long seed, TensorType type) {
            return switch (this) {
                case QWEN35 -> of(Qwen35Model.odd(seed).withType(type));
                case QWEN35MOE -> of(Qwen35MoeModel.odd(seed).withType(type));
                case GEMMA4 -> of(Gemma4Model.odd(seed).withType(type));
                case LAGUNA -> of(LagunaModel.odd(seed).withType(type));
                case QWEN3 -> of(Qwen3Model.odd(seed).withType(type));
            };
        }
    }

    /** Writes the file into a folder, once. */
    Path write(Path folder) throws IOException;

    /** Whether the heads are whole blocks of a cache type. */
    default boolean takes(CacheTypes cache) {
        return headLengths().stream()
                .allMatch(
                        length ->
                                length % cache.key().blockSize() == 0
                                        && length % cache.value().blockSize() == 0);
    }

    /** Elements of the attention heads. */
    List<Integer> headLengths();

    /** Token ids that a greedy run could have produced. */
    int[] tokens(int count, long seed);

    /** A model of the families that are described by their layers. */
    static RandomModel of(DecoderModel model) {
        return new Spec(model.toString(), model::write, model::randomTokens, model.headLengths());
    }

    private static RandomModel of(Qwen35Model model) {
        return new Spec(
                model.toString(),
                model::write,
                model::randomTokens,
                List.of(model.attention().headDim()));
    }

    private static RandomModel of(Qwen35MoeModel model) {
        return new Spec(
                model.toString(),
                model::write,
                model::randomTokens,
                List.of(model.dense().attention().headDim()));
    }

    private static RandomModel of(Gemma4Model model) {
        return new Spec(
                model.toString(),
                model::write,
                model::randomTokens,
                List.of(model.attention().headDim(), model.attention().fullHeadDim()));
    }

    private static RandomModel of(Qwen3Model model) {
        return new Spec(
                model.toString(),
                model::write,
                model::randomTokens,
                List.of(model.attention().headDim()));
    }

    private static RandomModel of(LagunaModel model) {
        return new Spec(
                model.toString(),
                model::write,
                model::randomTokens,
                List.of(model.attention().headDim()));
    }

    /** Writes a file into a folder. */
    @FunctionalInterface
    interface Writer {
        Path write(Path folder) throws IOException;
    }

    /** Chooses token ids. */
    @FunctionalInterface
    interface Tokens {
        int[] choose(int count, long seed);
    }

    /** A model by its parts. */
    record Spec(String name, Writer writer, Tokens choice, List<Integer> headLengths)
            implements RandomModel {
        @Override
        public Path write(Path folder) throws IOException {
            return writer.write(folder);
        }

        @Override
        public int[] tokens(int count, long seed) {
            return choice.choose(count, seed);
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
