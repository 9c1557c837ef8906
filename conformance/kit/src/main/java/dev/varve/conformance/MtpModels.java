package dev.varve.conformance;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.mtp.MtpFile;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/** Random models with a block for multi-token prediction. */
enum MtpModels implements BlockModel {
    DENSE(Qwen35Model.tiny()),
    OWN_HEAD_AND_FUSED(
            Qwen35Model.tiny()
                    .withTiedHead(false)
                    .withAttention(
                            new Qwen35Model.Attention(
                                    4, 2, 64, 16, List.of(3, 3, 2, 0), true, true))),
    MIXTURE(Qwen35Model.tiny());

    private final Qwen35Model model;

    MtpModels(Qwen35Model model) {
        this.model = model.withPlan(new Qwen35Model.LayerPlan(4, List.of(), 1));
    }

    Qwen35Model model() {
        return model;
    }

    int width() {
        return model.size().embedding();
    }

    int vocabulary() {
        return model.size().vocabulary();
    }

    /** The whole content of the file. */
    GgufWriter writer() {
        return this == MIXTURE ? mixture().writer() : model.writer();
    }

    private Qwen35MoeModel mixture() {
        return new Qwen35MoeModel(model, Qwen35MoeModel.tiny().experts());
    }

    @Override
    public int[] tokens(int count, long seed) {
        return model.randomTokens(count, seed);
    }

    @Override
    public Path write(Path folder) throws IOException {
        return this == MIXTURE ? mixture().write(folder) : model.write(folder);
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
            double factor = 1 / Math.sqrt(squares / width() + 1e-6);
            for (int j = 0; j < width(); j++) {
                normed[(i + 1) * width() + j] =
                        (float) (states[i * width() + j] * factor * weights[j]);
            }
        }
        return normed;
    }
}
