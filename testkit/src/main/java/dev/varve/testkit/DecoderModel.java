package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A small random model of a {@link DecoderLayout}, from which the same file is written every time.
 * The seed also decides the forms that files of the architecture may have: tied head, fused
 * matrices, biases, scaled rotations.
 *
 * @param type of all matrices; norms, biases and routers are F32
 */
public record DecoderModel(DecoderLayout layout, long seed, TensorType type) {
    /**
     * Raised when the contents of the files change, so that files written earlier are not taken for
     * new ones.
     */
    private static final int CONTENTS_VERSION = 2;

    static final int WIDTH = 256;
    static final int CONTEXT = 4096;

    /** Writes the model, unless this folder has it already. */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder,
                layout.name().toLowerCase(Locale.ROOT),
                new Qwen35Model.Size(layout.layers(), WIDTH, WIDTH, vocabulary(), CONTEXT),
                type,
                CONTENTS_VERSION + toString(),
                this::writer);
    }

    /** The whole content of the model. */
    public GgufWriter writer() {
        GgufWriter writer = new GgufWriter();
        TestVocabulary vocabulary = TestVocabulary.of(vocabulary());
        RandomTensors tensors =
                new RandomTensors(
                        writer,
                        type,
                        false,
                        new RandomRows(seed),
                        Set.copyOf(vocabulary.controlIds()));
        writer.put("general.architecture", GgufValue.of(layout.architecture()));
        vocabulary.describeIn(writer, Qwen35Model.CHAT_ML);
        writer.put("tokenizer.ggml.pre", GgufValue.of("qwen2"));
        layout.write(
                new DecoderWriter(
                        writer,
                        tensors,
                        layout,
                        vocabulary(),
                        new SplittableRandom(seed * 7907 + layout.ordinal())));
        return writer;
    }

    private int vocabulary() {
        return TestVocabulary.MINIMUM + 9 + Math.floorMod(seed * 31, 200);
    }

    /** Elements of the rows of keys and of values of one head. */
    public List<Integer> headLengths() {
        return layout.headLengths();
    }

    /**
     * Random token ids that a greedy run could have produced: neither control tokens nor out of
     * range.
     */
    public int[] randomTokens(int count, long tokenSeed) {
        return Qwen35Model.tiny().randomTokens(count, tokenSeed);
    }
}
