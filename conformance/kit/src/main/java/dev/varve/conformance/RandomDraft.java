package dev.varve.conformance;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.draft.DflashSpeculator.DflashSettings;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.Dflash2Model;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.DsparkModel;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A file of a random draft, with its evaluation in plain arithmetic.
 *
 * @param network its layers
 * @param file the draft
 * @param target the model whose tokens it proposes
 * @param plain its states and logits
 * @param walk its tokens
 */
record RandomDraft(
        DflashModel network, GgufFile file, GgufFile target, PlainDraft plain, PlainWalk walk) {
    static final Qwen35Model TARGET = Qwen35Model.tiny();
    static final int WIDTH = TARGET.size().embedding();
    static final int VOCABULARY = TARGET.size().vocabulary();
    static final int CONTEXT = 96;

    static final DflashModel TINY = DflashModel.tiny(new DflashModel.Target(WIDTH, VOCABULARY));

    /** Returns a network with embedding and head of its own, of all tokens or fewer. */
    static DflashModel own(int rows) {
        return TINY.with(new DflashModel.Weights(TensorType.F32, rows, false, 3));
    }

    static RandomDraft of(DsparkModel model, GgufWriter writer, Path folder) throws IOException {
        return of(model.network(), Optional.empty(), writer, folder);
    }

    static RandomDraft of(Dflash2Model model, GgufWriter writer, Path folder) throws IOException {
        return of(model.network(), Optional.of(model.convolution()), writer, folder);
    }

    static RandomDraft of(
            DflashModel network,
            Optional<Dflash2Model.Convolution> convolution,
            GgufWriter writer,
            Path folder)
            throws IOException {
        Path path = Files.createTempFile(folder, "draft", ".gguf");
        writer.write(path);
        GgufFile file = GgufFile.open(path);
        GgufFile target = GgufFile.open(TARGET.write(folder));
        PlainDraft plain = new PlainDraft(network, convolution, file, target);
        return new RandomDraft(network, file, target, plain, new PlainWalk(plain, file));
    }

    DflashSpeculator open() {
        return open(Cpu.device(), FlashAttention.AUTO);
    }

    DflashSpeculator open(ComputeDevice device, FlashAttention attention) {
        DraftFile draft =
                DraftFile.of(
                        file,
                        target,
                        Cpu.family(target).open(target, ModelOptions.defaults()).shape());
        return DflashSpeculator.open(
                draft,
                new SpeculationTarget.Limits(CONTEXT, 3, 15),
                device,
                new DflashSettings(WeightResidency.PERSISTENT, attention));
    }

    /** States of all slots of a text's next block, from as much of it as is kept. */
    double[][] states(DraftText text) {
        int end = text.features.size();
        int begin = Math.max(0, end - CONTEXT);
        return plain.states(
                text.features.subList(begin, end).toArray(float[][]::new),
                begin,
                text.tokens.getLast());
    }
}
