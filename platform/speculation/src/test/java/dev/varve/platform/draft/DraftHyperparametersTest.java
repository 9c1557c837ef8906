package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.plugin.qwen35.Qwen35Family;
import dev.varve.testkit.Dflash2Model;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.DflashModel.Block;
import dev.varve.testkit.DflashModel.Form;
import dev.varve.testkit.DflashModel.Windows;
import dev.varve.testkit.DsparkModel;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The numbers of a draft file are those that its network computes with. */
class DraftHyperparametersTest {
    private static final Qwen35Model TARGET = Qwen35Model.tiny();
    private static final int WIDTH = TARGET.size().embedding();
    private static final int VOCABULARY = TARGET.size().vocabulary();
    private static final int LAYERS = TARGET.size().layers();
    private static final DflashModel TINY =
            DflashModel.tiny(new DflashModel.Target(WIDTH, VOCABULARY));

    @TempDir Path folder;

    private DraftFile read(GgufWriter writer) throws IOException {
        Path path = folder.resolve("draft.gguf");
        writer.write(path);
        GgufFile target = GgufFile.open(TARGET.write(folder));
        return DraftFile.of(
                GgufFile.open(path),
                target,
                new Qwen35Family().open(target, ModelOptions.defaults()).shape());
    }

    private DraftHyperparameters network(GgufWriter writer) throws IOException {
        return read(writer).network();
    }

    private static String key(DflashModel model, String name) {
        return model.architecture() + "." + name;
    }

    @ParameterizedTest
    @EnumSource
    void sizesHeadsAndPositionsAreThoseOfTheFile(Form form) throws IOException {
        DraftHyperparameters network = network(TINY.in(form).writer());

        assertEquals(
                new DraftHyperparameters.Sizes(WIDTH, 192, VOCABULARY, 1e-6f), network.sizes());
        assertEquals(
                new DraftHyperparameters.Heads(4, 2, 32, (float) (1 / Math.sqrt(32))),
                network.heads());
        assertEquals(32, network.rope().dims());
        assertEquals(1e5f, network.rope().freqBase());
        assertEquals(new DraftHyperparameters.Block(8, 3), network.block());
        assertEquals(List.of(1, 2, 4), network.captures());
        assertEquals(
                Collections.nCopies(3, DraftHyperparameters.LayerAttention.FULL), network.rules());
        assertEquals(new BlockDecoding.Plain(), network.method());
        assertEquals(3 * WIDTH, network.featureLength());
        assertFalse(network.variant().gelu());
        assertEquals(1, network.variant().embeddingScale());
    }

    @Test
    void numbersInTheFileOverrideDefaults() throws IOException {
        DraftHyperparameters network =
                network(
                        TINY.writer()
                                .put(key(TINY, "attention.scale"), GgufValue.of(0.5f))
                                .put(key(TINY, "embedding_scale"), GgufValue.of(2f))
                                .put(key(TINY, "hidden_activation"), GgufValue.of("gelu"))
                                .put(
                                        key(TINY, "attention.layer_norm_rms_epsilon"),
                                        GgufValue.of(1e-3f)));

        assertEquals(0.5f, network.heads().scale());
        assertEquals(
                new DraftHyperparameters.ArchitectureOptions(2, true, false), network.variant());
        assertEquals(1e-3f, network.sizes().epsilon());
        DraftHyperparameters usual =
                network(
                        TINY.writer()
                                .leaveOut(key(TINY, "attention.layer_norm_rms_epsilon"))
                                .leaveOut(key(TINY, "block_size")));
        assertEquals(1e-6f, usual.sizes().epsilon());
        assertEquals(16, usual.block().tokens());
    }

    @Test
    void smallestAndLargestBlockAreAccepted() throws IOException {
        assertEquals(2, network(TINY.with(new Block(2, 0)).writer()).block().tokens());
        DraftHyperparameters large = network(TINY.with(new Block(64, VOCABULARY - 1)).writer());
        assertEquals(new DraftHyperparameters.Block(64, VOCABULARY - 1), large.block());
    }

    @Test
    void lastLayerOutputMayBeCaptured() throws IOException {
        assertEquals(
                List.of(1, 2, LAYERS),
                network(TINY.seeing(List.of(1, 2, LAYERS)).writer()).captures());
        assertEquals(List.of(0, 1, 2), network(TINY.seeing(List.of(0, 1, 2)).writer()).captures());
    }

    /** A window of a reference file is bounded by the block's first slot, and causal. */
    @Test
    void windowsFollowTheirFormat() throws IOException {
        Windows some = new Windows(16, List.of(true, false, true), false);
        DraftHyperparameters.LayerAttention own =
                new DraftHyperparameters.LayerAttention(OptionalInt.of(16), false, false);
        assertEquals(
                List.of(own, DraftHyperparameters.LayerAttention.FULL, own),
                network(TINY.with(some).writer()).rules());
        DraftHyperparameters.LayerAttention shared =
                new DraftHyperparameters.LayerAttention(OptionalInt.of(16), true, true);
        assertEquals(
                List.of(shared, DraftHyperparameters.LayerAttention.FULL, shared),
                network(TINY.in(Form.REFERENCE).with(some).writer()).rules());
        DraftHyperparameters.LayerAttention causal =
                new DraftHyperparameters.LayerAttention(OptionalInt.of(16), true, false);
        assertEquals(
                Collections.nCopies(3, causal),
                network(TINY.with(new Windows(16, List.of(), true)).writer()).rules());
        assertEquals(
                Collections.nCopies(3, DraftHyperparameters.LayerAttention.FULL),
                network(TINY.writer().put(key(TINY, "attention.sliding_window"), GgufValue.of(0)))
                        .rules());
    }

    /** Of a reference file, where gates, norms or a key say so. */
    @Test
    void contextIsNormalizedOnRequestOfTheFile() throws IOException {
        DflashModel reference = TINY.in(Form.REFERENCE);
        String norm = key(reference, "dflash.context_kv_layer_norm");
        assertFalse(network(reference.writer()).variant().normsContext(), "the usual");
        GgufWriter with = reference.writer().put(norm, GgufValue.of(1));
        assertTrue(network(with).variant().normsContext());
        GgufWriter without = reference.writer().put(norm, GgufValue.of(0));
        assertFalse(network(without).variant().normsContext());
        assertTrue(network(reference.normingStates(reference.writer())).variant().normsContext());
        DflashModel gated = reference.with(new DflashModel.Weights(TensorType.F32, 0, true, 1));
        assertTrue(network(gated.writer()).variant().normsContext());
        assertFalse(network(TINY.writer()).variant().normsContext(), "the other form");
    }

    @Test
    void draftUsesItsOwnTablesOrThoseOfTheTarget() throws IOException {
        DraftFile shared = read(TINY.writer());
        assertEquals(TARGET.write(folder), shared.embedding().file());
        assertEquals(Optional.empty(), shared.tokens());

        DraftFile own =
                read(TINY.with(new DflashModel.Weights(TensorType.F32, 100, false, 1)).writer());
        Path file = folder.resolve("draft.gguf");
        assertEquals(file, own.embedding().file());
        assertEquals(file, own.head().file());
        assertEquals(100, own.head().ne(1));
        assertEquals(100, own.tokens().orElseThrow().ne(0));
        assertTrue(own.weightBytes() > 0);
    }

    @Test
    void successorsAreRecognizedByTheirTensors() throws IOException {
        DsparkModel spark = DsparkModel.of(TINY, true);
        assertTrue(network(spark.writer()).method() instanceof BlockDecoding.Markov);
        assertEquals(0, network(spark.writer()).firstPredictingSlot());
        assertEquals(1, network(DsparkModel.of(TINY, false).writer()).firstPredictingSlot());

        Dflash2Model mixed = Dflash2Model.of(TINY);
        BlockDecoding.Selector selector =
                (BlockDecoding.Selector)
                        network(
                                        mixed.writer()
                                                .put("dflash.logit_scale", GgufValue.of(0.25f))
                                                .put(
                                                        "dflash.final_logit_softcapping",
                                                        GgufValue.of(30f)))
                                .method();
        assertEquals(new BlockDecoding.LogitScaling(0.25f, 30), selector.scores());
        assertEquals(mixed.convolution().kernel(), selector.convolution().kernel());
        assertEquals(mixed.convolution().group(), selector.convolution().group());
        int groups = WIDTH / selector.convolution().group();
        assertEquals(
                2 * selector.convolution().kernel() * groups,
                selector.convolution().changes(WIDTH));
        BlockDecoding.Selector plain = (BlockDecoding.Selector) network(mixed.writer()).method();
        assertEquals(new BlockDecoding.LogitScaling(1, 0), plain.scores());
    }
}
