package dev.varve.platform.mtp;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.plugin.gemma4.Gemma4Family;
import dev.varve.plugin.qwen35.Qwen35Family;
import dev.varve.testkit.Gemma4AssistantModel;
import dev.varve.testkit.Gemma4Model;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Small model files with blocks that predict tokens, read by their families. */
enum SmallBlocks {
    /** One block after the model's last layer; each draft token has the next position. */
    DENSE(Qwen35Model.tiny()),
    /** With an output matrix of its own, and fused projections. */
    OWN_HEAD_AND_FUSED(
            Qwen35Model.tiny()
                    .withTiedHead(false)
                    .withAttention(
                            new Qwen35Model.Attention(
                                    4, 2, 64, 16, List.of(3, 3, 2, 0), true, true))),
    /** With experts. */
    MIXTURE(Qwen35Model.tiny());

    private final Qwen35Model model;

    SmallBlocks(Qwen35Model model) {
        this.model = model.withPlan(new Qwen35Model.LayerPlan(4, List.of(), 1));
    }

    Qwen35Model model() {
        return model;
    }

    private Qwen35MoeModel mixture() {
        return new Qwen35MoeModel(model, Qwen35MoeModel.tiny().experts());
    }

    /** The whole content of the model's file. */
    GgufWriter writer() {
        return this == MIXTURE ? mixture().writer() : model.writer();
    }

    Path write(Path folder) throws IOException {
        return this == MIXTURE ? mixture().write(folder) : model.write(folder);
    }

    /** The block of the model's own file. */
    MtpFile block(Path folder) throws IOException {
        OpenedModel target = open(write(folder), new Qwen35Family());
        return MtpFile.of(target.file(), new Qwen35Family(), target, ModelOptions.defaults());
    }

    /** Several blocks in a separate file; all their draft tokens have the same position. */
    static MtpFile assistant(Path folder) throws IOException {
        Gemma4Model model = Gemma4Model.tiny();
        return MtpFile.of(
                GgufFile.open(Gemma4AssistantModel.of(model).write(folder)),
                new Gemma4Family(),
                open(model.write(folder), new Gemma4Family()),
                ModelOptions.defaults());
    }

    /** A model's file as its family reads it. */
    static OpenedModel open(Path path, ModelFamilyProvider family) {
        GgufFile file = GgufFile.open(path);
        return new OpenedModel(file, family.open(file, ModelOptions.defaults()));
    }
}
