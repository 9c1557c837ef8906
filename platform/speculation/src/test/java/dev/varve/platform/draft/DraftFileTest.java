package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
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
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A draft file that does not fit is refused with what was expected and found. */
class DraftFileTest {
    private static final Qwen35Model TARGET = Qwen35Model.tiny();
    private static final int WIDTH = TARGET.size().embedding();
    private static final int VOCABULARY = TARGET.size().vocabulary();
    private static final int LAYERS = TARGET.size().layers();
    private static final DflashModel TINY =
            DflashModel.tiny(new DflashModel.Target(WIDTH, VOCABULARY));

    @TempDir static Path folder;

    private static DraftFile read(GgufWriter writer) throws Exception {
        Path file = Files.createTempFile(folder, "draft", ".gguf");
        writer.write(file);
        return read(file);
    }

    private static DraftFile read(Path file) throws Exception {
        GgufFile target = GgufFile.open(TARGET.write(folder));
        return DraftFile.of(
                GgufFile.open(file),
                target,
                new Qwen35Family().open(target, ModelOptions.defaults()).shape());
    }

    private static String refused(GgufWriter writer) {
        return assertThrows(ModelFormatException.class, () -> read(writer)).getMessage();
    }

    private static void assertNames(String message, List<String> parts) {
        for (String part : parts) {
            assertTrue(message.contains(part), "expected " + part + " in: " + message);
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void bothFormatsNameTheSameLayers(Form form) throws Exception {
        DflashModel last = TINY.seeing(List.of(1, 2, LAYERS)).in(form);
        assertEquals(List.of(1, 2, LAYERS), read(last.write(folder)).captures());
        assertEquals(7, read(last.write(folder)).mostTokens());
    }

    @Test
    void layersMissingInAReferenceFileAreSpreadAsTrained() throws Exception {
        DflashModel model = TINY.in(Form.REFERENCE).seeing(List.of(2, 4));
        String key = model.architecture() + ".dflash.target_layer_ids";
        // Outputs 1 and 1 + floor((layers - 2) / 1), as inputs one higher.
        assertEquals(List.of(2, LAYERS), read(model.writer().leaveOut(key)).captures());
        assertEquals(List.of(2, 4), read(model.writer()).captures());
    }

    private record Fault(String name, DflashModel model, Consumer<GgufWriter> change) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Arguments fault(
            String name, DflashModel model, Consumer<GgufWriter> change, String... says) {
        return Arguments.of(new Fault(name, model, change), List.of(says));
    }

    static Stream<Arguments> faults() {
        DflashModel reference = TINY.in(Form.REFERENCE);
        DflashModel own = TINY.with(new DflashModel.Weights(TensorType.F32, 100, false, 1));
        String prefix = reference.architecture() + ".";
        return Stream.of(
                fault(
                        "no draft",
                        TINY,
                        w -> w.put("general.architecture", GgufValue.of("llama")),
                        "dflash",
                        "llama"),
                fault(
                        "another width",
                        DflashModel.tiny(new DflashModel.Target(WIDTH + 32, VOCABULARY)),
                        w -> {},
                        "embedding_length",
                        String.valueOf(WIDTH),
                        String.valueOf(WIDTH + 32)),
                fault(
                        "a layer too many",
                        TINY.seeing(List.of(1, LAYERS + 1)),
                        w -> {},
                        "target_layers",
                        String.valueOf(LAYERS),
                        String.valueOf(LAYERS + 1)),
                fault(
                        "layers in disorder",
                        TINY.seeing(List.of(2, 1)),
                        w -> {},
                        "target_layers",
                        "[2, 1]"),
                fault(
                        "layers that the matrix has not",
                        TINY,
                        w -> w.put("dflash.target_layers", GgufValue.ints(List.of(1, 2))),
                        "target_layers",
                        "3 layers",
                        "[1, 2]"),
                fault("no layers", TINY, w -> w.leaveOut("dflash.target_layers"), "target_layers"),
                fault(
                        "a matrix of part of a layer",
                        TINY,
                        w ->
                                w.leaveOut("fc.weight")
                                        .tensor(
                                                "fc.weight",
                                                TensorType.F32,
                                                List.of(WIDTH + 1L, (long) WIDTH),
                                                TensorData.constant(0)),
                        "fc.weight",
                        "multiple of " + WIDTH),
                fault("a block of one", TINY.with(new Block(1, 3)), w -> {}, "block_size", "1"),
                fault("a block of 65", TINY.with(new Block(65, 3)), w -> {}, "block_size", "65"),
                fault(
                        "a mask that is no token",
                        TINY.with(new Block(8, VOCABULARY)),
                        w -> {},
                        "mask_token_id",
                        String.valueOf(VOCABULARY)),
                fault(
                        "no mask",
                        TINY,
                        w -> w.leaveOut("tokenizer.ggml.mask_token_id"),
                        "mask_token_id",
                        "none"),
                fault(
                        "no base",
                        reference,
                        w -> w.leaveOut(prefix + "rope.freq_base"),
                        "rope.freq_base"),
                fault(
                        "heads that do not fit",
                        TINY,
                        w -> w.put("dflash.attention.head_count_kv", GgufValue.of(3)),
                        "attention.head_count"),
                fault(
                        "another head length",
                        TINY,
                        w -> {
                            w.put("dflash.attention.key_length", GgufValue.of(64));
                            w.put("dflash.attention.value_length", GgufValue.of(64));
                        },
                        "attn_q.weight",
                        "256"),
                fault(
                        "a window in too few layers",
                        TINY.with(new Windows(16, List.of(true, false), false)),
                        w -> {},
                        "sliding_window_pattern"),
                fault(
                        "an unknown activation",
                        TINY,
                        w -> w.put("dflash.hidden_activation", GgufValue.of("relu")),
                        "hidden_activation",
                        "relu"),
                fault(
                        "a head of another vocabulary",
                        own,
                        w -> w.leaveOut("d2t"),
                        "output.weight",
                        String.valueOf(VOCABULARY)),
                fault(
                        "another kind of draft",
                        TINY,
                        w ->
                                w.tensor(
                                        "markov_w1.weight",
                                        TensorType.F32,
                                        List.of(4L, 4L),
                                        TensorData.constant(0)),
                        "markov_w1.weight"),
                fault(
                        "hyper-connections",
                        TINY,
                        w -> w.put("dflash.hyper_connection.count", GgufValue.of(2)),
                        "hyper_connection"),
                fault(
                        "a gate in part of the layers",
                        reference.with(new DflashModel.Weights(TensorType.F32, 0, true, 1)),
                        w -> w.leaveOut("blk.1.attn_gate.weight"),
                        "blk.1.attn_gate.weight"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void mismatchIsReported(Fault fault, List<String> says) {
        GgufWriter writer = fault.model().writer();
        fault.change().accept(writer);
        assertNames(refused(writer), says);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fc.weight",
                "enc.output_norm.weight",
                "output_norm.weight",
                "blk.0.attn_norm.weight",
                "blk.1.attn_q.weight",
                "blk.1.attn_k.weight",
                "blk.2.attn_output.weight",
                "blk.0.attn_q_norm.weight",
                "blk.0.attn_k_norm.weight",
                "blk.2.ffn_gate.weight",
                "blk.2.ffn_up.weight",
                "blk.2.ffn_down.weight"
            })
    void missingTensorIsNamed(String name) {
        assertNames(refused(TINY.writer().leaveOut(name)), List.of(name));
    }

    private static final DsparkModel SPARK = DsparkModel.of(TINY, true);
    private static final Dflash2Model MIXED = Dflash2Model.of(TINY);

    private static GgufWriter confident() {
        return SPARK.with(new DsparkModel.Confidence(1, 0)).writer();
    }

    private static GgufWriter other(GgufWriter writer, String name, long... shape) {
        return writer.leaveOut(name)
                .tensor(
                        name,
                        TensorType.F32,
                        Arrays.stream(shape).boxed().toList(),
                        TensorData.constant(0));
    }

    @Test
    void tensorsDetermineTheDraftLength() throws Exception {
        assertEquals(8, read(SPARK.writer()).mostTokens());
        assertEquals(8, read(SPARK.writer().leaveOut("dflash.sample_from_anchor")).mostTokens());
        assertEquals(7, read(DsparkModel.of(TINY, false).writer()).mostTokens());
        assertEquals(7, read(MIXED.writer()).mostTokens());
        GgufWriter plain = TINY.writer().put("dflash.sample_from_anchor", GgufValue.of(false));
        assertEquals(7, read(plain.put("dflash.selector_top_k", GgufValue.of(0))).mostTokens());
        // Without this key, the tensors show that the file has a confidence head.
        read(confident().leaveOut("dflash.has_confidence_head"));
    }

    static Stream<Arguments> faultsOfSuccessors() {
        String selector = "selector_hidden.weight";
        DflashModel own = TINY.with(new DflashModel.Weights(TensorType.F32, 100, false, 1));
        return Stream.of(
                Arguments.of(
                        MIXED.writer()
                                .tensor(
                                        "markov_w1.weight",
                                        TensorType.F32,
                                        List.of(8L, (long) VOCABULARY),
                                        TensorData.constant(0)),
                        List.of(selector, "markov_w1.weight")),
                Arguments.of(
                        SPARK.writer().put("dflash.selector_top_k", GgufValue.of(4)),
                        List.of("selector_top_k", selector)),
                Arguments.of(
                        TINY.writer().put("dflash.sample_from_anchor", GgufValue.of(true)),
                        List.of("sample_from_anchor", "markov_w1.weight")),
                Arguments.of(
                        MIXED.writer().put("dflash.sample_from_anchor", GgufValue.of(true)),
                        List.of("sample_from_anchor", "markov_w1.weight")),
                Arguments.of(
                        SPARK.writer().put("dflash.has_confidence_head", GgufValue.of(true)),
                        List.of("has_confidence_head", "conf_proj.weight")),
                Arguments.of(
                        SPARK.writer().put("dflash.hyper_connection.count", GgufValue.of(4)),
                        List.of("hyper_connection.count", "4")),
                Arguments.of(SPARK.writer().leaveOut("dflash.block_size"), List.of("block_size")),
                Arguments.of(MIXED.writer().leaveOut("dflash.block_size"), List.of("block_size")),
                Arguments.of(
                        other(SPARK.writer(), "markov_w1.weight", 8, VOCABULARY - 1),
                        List.of("markov_w1.weight", "[8, " + VOCABULARY + "]")),
                Arguments.of(
                        other(SPARK.writer(), "markov_w2.weight", 9, VOCABULARY),
                        List.of("markov_w2.weight", "[8, " + VOCABULARY + "]")),
                Arguments.of(
                        other(DsparkModel.of(own, true).writer(), "markov_w2.weight", 8, 99),
                        List.of("markov_w2.weight", "[8, 100]")),
                Arguments.of(
                        other(confident(), "conf_proj.weight", WIDTH, 1),
                        List.of("conf_proj.weight", String.valueOf(WIDTH + 8))),
                Arguments.of(
                        other(confident(), "conf_proj.bias", 2), List.of("conf_proj.bias", "[1]")),
                Arguments.of(
                        MIXED.writer().put("dflash.selector_rank", GgufValue.of(9)),
                        List.of("selector_rank", "9", selector)),
                Arguments.of(
                        MIXED.writer().put("dflash.selector_top_k", GgufValue.of(VOCABULARY + 1)),
                        List.of("selector_top_k", String.valueOf(VOCABULARY + 1))),
                Arguments.of(
                        MIXED.writer().put("dflash.conv_kernel_size", GgufValue.of(0)),
                        List.of("conv_kernel_size")),
                Arguments.of(
                        MIXED.writer().put("dflash.conv_kernel_size", GgufValue.of(65)),
                        List.of("conv_kernel_size", "65")),
                Arguments.of(
                        MIXED.writer().put("dflash.conv_kernel_size", GgufValue.of(3)),
                        List.of("blk.0.attn_conv_base", "[" + WIDTH + ", 3, 2]")),
                Arguments.of(
                        MIXED.writer().put("dflash.conv_group_size", GgufValue.of(24)),
                        List.of("conv_group_size", "24", String.valueOf(WIDTH))),
                Arguments.of(
                        other(MIXED.writer(), "blk.1.ffn_conv_proj.weight", WIDTH, 8),
                        List.of("blk.1.ffn_conv_proj.weight", String.valueOf(4 * WIDTH / 16))),
                Arguments.of(
                        MIXED.writer().put("dflash.logit_scale", GgufValue.of(-1f)),
                        List.of("logit_scale", "-1")),
                Arguments.of(
                        MIXED.writer().put("dflash.final_logit_softcapping", GgufValue.of(-1f)),
                        List.of("final_logit_softcapping", "-1")),
                Arguments.of(Dflash2Model.of(own).writer(), List.of("d2t", selector)));
    }

    @ParameterizedTest
    @MethodSource("faultsOfSuccessors")
    void mismatchInSuccessorsIsReported(GgufWriter writer, List<String> says) {
        assertNames(refused(writer), says);
    }

    static Stream<Arguments> requiredOfSuccessors() {
        Stream<Arguments> selector =
                Stream.of(
                                "selector_predecessor.weight",
                                "selector_successor.weight",
                                "dflash.selector_rank",
                                "dflash.selector_top_k",
                                "dflash.conv_kernel_size",
                                "dflash.conv_group_size",
                                "blk.1.attn_conv_base",
                                "blk.0.attn_conv_proj.weight",
                                "blk.2.ffn_conv_base",
                                "blk.1.ffn_conv_proj.weight")
                        .map(name -> Arguments.of(MIXED.writer(), name));
        return Stream.concat(Stream.of(Arguments.of(SPARK.writer(), "markov_w2.weight")), selector);
    }

    @Test
    void sinksArePerHeadAndForOneFormat() {
        String name = "blk.1.attn_sinks.weight";
        assertNames(
                refused(
                        TINY.writer()
                                .tensor(name, TensorType.F32, List.of(5L), TensorData.constant(0))),
                List.of(name, "[4]", "[5]"));
        DflashModel reference = TINY.in(DflashModel.Form.REFERENCE);
        assertNames(
                refused(reference.sinking(reference.writer())),
                List.of("blk.0.attn_sinks.weight", "no such tensor"));
    }

    /** Each captured layer has one or none has. */
    @Test
    void missingStateNormIsNamed() {
        DflashModel reference = TINY.in(DflashModel.Form.REFERENCE);
        for (String name :
                List.of("dflash.aux_hidden_norm.1.weight", "dflash.aux_hidden_norm.2.weight")) {
            assertNames(
                    refused(reference.normingStates(reference.writer()).leaveOut(name)),
                    List.of(name));
        }
        assertNames(
                refused(
                        reference
                                .normingStates(reference.writer())
                                .lengthen("dflash.aux_hidden_norm.1.weight")),
                List.of("dflash.aux_hidden_norm.1.weight"));
    }

    @ParameterizedTest
    @MethodSource("requiredOfSuccessors")
    void missingSuccessorTensorIsNamed(GgufWriter writer, String name) {
        assertNames(refused(writer.leaveOut(name)), List.of(name));
    }

    /** A draft model without the tensor would not propose the draft tokens of its training. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "blk.3.attn_q.weight",
                "conf_proj.weight",
                "dflash.dspark.markov.w1",
                "output.scale"
            })
    void unknownTensorIsNamed(String name) {
        GgufWriter writer =
                TINY.writer().tensor(name, TensorType.F32, List.of(4L), TensorData.constant(0));
        assertNames(refused(writer), List.of(name, "no such tensor"));
    }
}
