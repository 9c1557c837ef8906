package dev.varve.conformance;

import dev.varve.testkit.LagunaModel;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.nio.file.Path;

/** A random model of any family, small and odd. */
interface RandomModel {
    /** The families and variants that are tested alike. */
    enum Family {
        QWEN35,
        QWEN35MOE,
        LAGUNA;

        RandomModel odd(long seed) {
            return switch (this) {
                case QWEN35 -> of(Qwen35Model.odd(seed));
                case QWEN35MOE -> of(Qwen35MoeModel.odd(seed));
                case LAGUNA -> of(LagunaModel.odd(seed));
            };
        }

        RandomModel odd(long seed, TensorType type) {
            return switch (this) {
                case QWEN35 -> of(Qwen35Model.odd(seed).withType(type));
                case QWEN35MOE -> of(Qwen35MoeModel.odd(seed).withType(type));
                case LAGUNA -> of(LagunaModel.odd(seed).withType(type));
            };
        }
    }

    /** Writes the file into a folder. */
    Path write(Path folder) throws IOException;

    /** Token ids that a greedy run could have produced. */
    int[] tokens(int count, long seed);

    private static RandomModel of(Qwen35Model model) {
        return new RandomModel() {
            @Override
            public Path write(Path folder) throws IOException {
                return model.write(folder);
            }

            @Override
            public int[] tokens(int count, long seed) {
                return model.randomTokens(count, seed);
            }

            @Override
            public String toString() {
                return model.toString();
            }
        };
    }

    private static RandomModel of(Qwen35MoeModel model) {
        return new RandomModel() {
            @Override
            public Path write(Path folder) throws IOException {
                return model.write(folder);
            }

            @Override
            public int[] tokens(int count, long seed) {
                return model.randomTokens(count, seed);
            }

            @Override
            public String toString() {
                return model.toString();
            }
        };
    }

    private static RandomModel of(LagunaModel model) {
        return new RandomModel() {
            @Override
            public Path write(Path folder) throws IOException {
                return model.write(folder);
            }

            @Override
            public int[] tokens(int count, long seed) {
                return model.randomTokens(count, seed);
            }

            @Override
            public String toString() {
                return model.toString();
            }
        };
    }
}
