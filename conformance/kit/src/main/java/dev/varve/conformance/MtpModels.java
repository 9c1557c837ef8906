package dev.varve.conformance;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.mtp.MtpFile;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Random models with a block for multi-token prediction. */
enum MtpModels implements BlockModel {
    DENSE("qwen35", Source.of(Qwen35Model.tiny())),
    OWN_HEAD_AND_FUSED(
            "qwen35",
            Source.of(
                    Qwen35Model.tiny()
                            .withTiedHead(false)
                            .withAttention(
                                    new Qwen35Model.Attention(
                                            4, 2, 64, 16, List.of(3, 3, 2, 0), true, true)))),
    MIXTURE("qwen35moe", Source.ofMixture(Qwen35Model.tiny())),
    GLM4MOE("glm4moe", Source.of(DecoderLayout.GLM4MOE_MTP, 1)),
    GLM4MOE_WITHOUT_ENDS("glm4moe", Source.of(DecoderLayout.GLM4MOE_MTP, 4)),
    DEEPSEEK2("deepseek2", Source.of(DecoderLayout.DEEPSEEK2_MTP, 1));

    private final String architecture;
    private final Source source;

    MtpModels(String architecture, Source source) {
        this.architecture = architecture;
        this.source = source;
    }

    @Override
    public String architecture() {
        return architecture;
    }

    /**
     * A model of any family.
     *
     * @param writer has the whole content of the file
     * @param file writes it into a folder, once
     */
    private record Source(
            Supplier<GgufWriter> writer,
            RandomModel.Writer file,
            int width,
            int vocabulary,
            double epsilon) {
        static Source of(Qwen35Model model) {
            Qwen35Model deep = withBlock(model);
            return of(deep, deep::writer, deep::write);
        }

        static Source ofMixture(Qwen35Model model) {
            Qwen35MoeModel mixture =
                    new Qwen35MoeModel(withBlock(model), Qwen35MoeModel.tiny().experts());
            return of(mixture.dense(), mixture::writer, mixture::write);
        }

        private static Qwen35Model withBlock(Qwen35Model model) {
            return model.withPlan(new Qwen35Model.LayerPlan(4, List.of(), 1));
        }

        private static Source of(
                Qwen35Model model, Supplier<GgufWriter> writer, RandomModel.Writer file) {
            Qwen35Model.Size size = model.size();
            return new Source(writer, file, size.embedding(), size.vocabulary(), 1e-6);
        }

        static Source of(DecoderLayout layout, long seed) {
            DecoderModel model = new DecoderModel(layout, seed, TensorType.F32);
            DecoderModel.Size size = model.size();
            return new Source(model::writer, model::write, size.width(), size.vocabulary(), 1e-5);
        }
    }

    int width() {
        return source.width();
    }

    int vocabulary() {
        return source.vocabulary();
    }

    /** The whole content of the file. */
    GgufWriter writer() {
        return source.writer().get();
    }

    @Override
    public int[] tokens(int count, long seed) {
        return Qwen35Model.tiny().randomTokens(count, seed);
    }

    @Override
    public Path write(Path folder) throws IOException {
        return source.file().write(folder);
    }

    /** The block of the model's own file. */
    @Override
    public MtpFile block(Path folder) throws IOException {
        OpenedModel target = Cpu.open(write(folder), ModelOptions.defaults());
        return MtpFile.of(
                target.file(), Cpu.family(target.file()), target, ModelOptions.defaults());
    }

    /**
     * States behind the trunk's last norm, each beside the token after it; zero beside the first.
     *
     * @param states {@code F32 [width, count]}
     * @return {@code F32 [width, count + 1]}
     */
    float[] normed(Path folder, float[] states, int count) throws IOException {
        GgufTensor norm = GgufFile.open(write(folder)).requireTensor("output_norm.weight");
        ByteBuffer bytes = ByteBuffer.allocate((int) norm.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(norm.file())) {
            channel.read(bytes, norm.offset());
        }
        float[] weights = new float[width()];
        bytes.flip().asFloatBuffer().get(weights);
        float[] normed = new float[(count + 1) * width()];
        for (int i = 0; i < count; i++) {
            double squares = 0;
            for (int j = 0; j < width(); j++) {
                squares += Math.pow(states[i * width() + j], 2);
            }
            double factor = 1 / Math.sqrt(squares / width() + source.epsilon());
            for (int j = 0; j < width(); j++) {
                normed[(i + 1) * width() + j] =
                        (float) (states[i * width() + j] * factor * weights[j]);
            }
        }
        return normed;
    }
}
