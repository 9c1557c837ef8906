package dev.varve.conformance;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.mtp.MtpFile;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.testkit.Gemma4AssistantModel;
import dev.varve.testkit.Gemma4Model;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Random models with an assistant. */
enum AssistantModels implements BlockModel {
    /** The model's last layers read the rows of earlier ones. */
    SHARED_ROWS(Gemma4AssistantModel.of(Gemma4Model.tiny())),
    /** Values are made from keys, and projections are one matrix elsewhere. */
    OWN_ROWS(
            Gemma4AssistantModel.of(
                    Gemma4Model.tiny()
                            .withSharing(Gemma4Model.Sharing.NONE)
                            .withPerLayerWidth(0)
                            .withAttention(
                                    new Gemma4Model.Attention(
                                            List.of(true, true, false, true, true, false),
                                            24,
                                            4,
                                            4,
                                            2,
                                            1,
                                            32,
                                            64,
                                            true,
                                            true)))),
    /** The first block is a full one, and others read its rows. */
    FULL_FIRST(
            new Gemma4AssistantModel(
                    Gemma4Model.tiny().withTiedHead(false),
                    List.of(false, true, false, false),
                    96,
                    64,
                    13));

    private final Gemma4AssistantModel assistant;

    AssistantModels(Gemma4AssistantModel assistant) {
        this.assistant = assistant;
    }

    Gemma4AssistantModel assistant() {
        return assistant;
    }

    @Override
    public String architecture() {
        return "gemma4";
    }

    int width() {
        return assistant.target().size().embedding();
    }

    @Override
    public int[] tokens(int count, long seed) {
        return assistant.target().randomTokens(count, seed);
    }

    @Override
    public Path write(Path folder) throws IOException {
        return assistant.target().write(folder);
    }

    /** The assistant's file. */
    Path writeAssistant(Path folder) throws IOException {
        return assistant.write(folder);
    }

    @Override
    public MtpFile block(Path folder) throws IOException {
        OpenedModel target = Cpu.open(write(folder), ModelOptions.defaults());
        return MtpFile.of(
                GgufFile.open(writeAssistant(folder)),
                Cpu.family(target.file()),
                target,
                ModelOptions.defaults());
    }
}
