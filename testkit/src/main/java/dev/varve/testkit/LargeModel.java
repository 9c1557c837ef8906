package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random models in the shapes of released ones, for measurements of speed. All matrices repeat one
 * random pattern, so that files of many gigabytes are written as fast as the disk permits; their
 * text is meaningless.
 */
public enum LargeModel {
    /** Both kinds of layers at a width of one block: for tests of the writer. */
    TINY(new Qwen35Model.Size(4, 256, 512, 512, 4096), 4, 2, 2, true),
    /** 0.8 billion parameters. */
    B0_8(new Qwen35Model.Size(24, 1024, 3584, 248_320, 262_144), 8, 2, 16, true),
    /** The same with a block for multi-token prediction, which the others lack. */
    B0_8_MTP(new Qwen35Model.Size(24, 1024, 3584, 248_320, 262_144), 8, 2, 16, true, 1),
    /** 4 billion parameters. */
    B4(new Qwen35Model.Size(32, 2560, 9216, 248_320, 262_144), 16, 4, 32, true),
    /** 27 billion parameters. */
    B27(new Qwen35Model.Size(64, 5120, 17_408, 248_320, 262_144), 24, 4, 48, false),
    /** 3 billion parameters in 256 experts of which 8 are used, 0.2 billion for a token. */
    B3_A0_2(new Qwen35Model.Size(8, 1024, 512, 32_000, 4096), 8, 2, 16, true),
    /** 35 billion parameters in 256 experts of which 8 are used, 3 billion for a token. */
    B35_A3(new Qwen35Model.Size(40, 2048, 512, 248_320, 262_144), 16, 2, 32, false);

    /**
     * Values of the pattern: a prime number of blocks, so that rows whose length is a power of two
     * repeat only after as many rows.
     */
    private static final int PATTERN_BLOCKS = 16_381;

    private static final int VALUES_OF_BLOCK = 256;

    private final Qwen35Model dense;

    LargeModel(Qwen35Model.Size size, int heads, int kvHeads, int valueHeads, boolean tiedHead) {
        this(size, heads, kvHeads, valueHeads, tiedHead, 0);
    }

    LargeModel(
            Qwen35Model.Size size,
            int heads,
            int kvHeads,
            int valueHeads,
            boolean tiedHead,
            int nextnBlocks) {
        dense =
                new Qwen35Model(
                        size,
                        new Qwen35Model.Attention(
                                heads, kvHeads, 256, 64, List.of(11, 11, 10, 0), false, false),
                        new Qwen35Model.DeltaNet(Math.min(16, valueHeads), valueHeads, 128, 4),
                        new Qwen35Model.LayerPlan(4, List.of(), nextnBlocks),
                        new Qwen35Model.Weights(TensorType.F32, tiedHead, false, false, 1),
                        Qwen35Model.CHAT_ML);
    }

    /** Looks up a model by its name in {@link #label}. */
    public static LargeModel parse(String label) {
        for (LargeModel each : values()) {
            if (each.label().equals(label)) {
                return each;
            }
        }
        throw new IllegalArgumentException(
                "expected tiny, 0.8B, 0.8B-MTP, 4B, 27B, 3B-A0.2B or 35B-A3B, found " + label);
    }

    /** Usual name of the size, such as {@code 35B-A3B}. */
    public String label() {
        return switch (this) {
            case TINY -> "tiny";
            case B0_8 -> "0.8B";
            case B0_8_MTP -> "0.8B-MTP";
            case B4 -> "4B";
            case B27 -> "27B";
            case B3_A0_2 -> "3B-A0.2B";
            case B35_A3 -> "35B-A3B";
        };
    }

    /**
     * Writes the model.
     *
     * @param type of all matrices but the routers of experts
     */
    public void write(Path file, TensorType type) throws IOException {
        writer(type).repeat(type, pattern(type)).write(file);
    }

    private GgufWriter writer(TensorType type) {
        if (this != B35_A3 && this != B3_A0_2) {
            return dense.withType(type).writer();
        }
        return new Qwen35MoeModel(
                        dense.withType(type),
                        new Qwen35MoeModel.Experts(
                                256, 8, 512, false, Qwen35MoeModel.Lengths.EXPERTS_ONLY))
                .writer();
    }

    /** Weights that keep the size of activations in the order of 1, as trained ones do. */
    private byte[] pattern(TensorType type) {
        double deviation = 1 / Math.sqrt(dense.size().embedding());
        SplittableRandom random = new SplittableRandom(TestSeed.of(1));
        float[] values = new float[PATTERN_BLOCKS * VALUES_OF_BLOCK];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (deviation * random.nextGaussian());
        }
        return Quantizer.quantize(type, values, 1, values.length);
    }
}
