package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.draft.DraftFile;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.DflashModel.Block;
import dev.varve.testkit.DflashModel.Form;
import dev.varve.testkit.DflashModel.Windows;
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
                Cpu.family(target).open(target, ModelOptions.defaults()).shape());
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
    void bothFormsNameTheSameLayers(Form form) throws Exception {
        DflashModel last = TINY.seeing(List.of(1, 2, LAYERS)).in(form);
        assertEquals(List.of(1, 2, LAYERS), read(last.write(folder)).captures());
        assertEquals(7, read(last.write(folder)).mostTokens());
    }

    @Test
    void layersThatAReferenceFileLeavesOutAreSpreadAsTheyWereTrained() throws Exception {
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
    void saysWhatDoesNotFit(Fault fault, List<String> says) {
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
    void namesATensorThatIsMissing(String name) {
        assertNames(refused(TINY.writer().leaveOut(name)), List.of(name));
    }
}
