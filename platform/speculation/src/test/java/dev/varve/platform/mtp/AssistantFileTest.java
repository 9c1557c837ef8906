package dev.varve.platform.mtp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.plugin.gemma4.Gemma4Family;
import dev.varve.plugin.qwen35.Qwen35Family;
import dev.varve.testkit.Gemma4AssistantModel;
import dev.varve.testkit.Gemma4Model;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Which files are assistants of a model, and what is said of others. */
class AssistantFileTest {
    private static final Gemma4Model TARGET = Gemma4Model.tiny();

    @TempDir Path folder;

    private MtpFile read(GgufWriter file, Path target) throws IOException {
        Path path = folder.resolve("assistant.gguf");
        file.write(path);
        OpenedModel model = SmallBlocks.open(target, family(target));
        return MtpFile.of(GgufFile.open(path), family(target), model, ModelOptions.defaults());
    }

    private static ModelFamilyProvider family(Path target) {
        return GgufFile.open(target).architecture().equals("qwen35")
                ? new Qwen35Family()
                : new Gemma4Family();
    }

    private static GgufWriter assistant() {
        return Gemma4AssistantModel.of(TARGET).writer();
    }

    private void requireNamed(GgufWriter file, Path target, String... names) {
        VarveException thrown = assertThrows(VarveException.class, () -> read(file, target));
        String message = thrown.getMessage();
        assertTrue(message.contains("assistant.gguf"), message);
        for (String name : names) {
            assertTrue(message.contains(name), message);
        }
    }

    private void requireNamed(GgufWriter file, String... names) throws IOException {
        requireNamed(file, TARGET.write(folder), names);
    }

    @Test
    void capturesAreTheInputsOfTheSharedLayers() throws IOException {
        // Three layers have rows of their own; the last ones read those of layers 1 and 2.
        assertEquals(List.of(1, 2, 6), read(assistant(), TARGET.write(folder)).captures());
        Gemma4Model own = TARGET.withSharing(Gemma4Model.Sharing.NONE);
        MtpFile file = read(Gemma4AssistantModel.of(own).writer(), own.write(folder));
        assertEquals(List.of(4, 5, 6), file.captures());
        assertTrue(file.weightBytes() > 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token_embd.weight",
                "output_norm.weight",
                "rope_freqs.weight",
                "nextn.pre_projection.weight",
                "nextn.post_projection.weight",
                "blk.0.attn_norm.weight",
                "blk.0.attn_q.weight",
                "blk.1.attn_q_norm.weight",
                "blk.3.attn_q_norm.weight",
                "blk.3.attn_output.weight",
                "blk.2.post_attention_norm.weight",
                "blk.2.ffn_norm.weight",
                "blk.2.ffn_gate.weight",
                "blk.2.ffn_up.weight",
                "blk.2.ffn_down.weight",
                "blk.2.post_ffw_norm.weight",
                "blk.2.layer_output_scale.weight"
            })
    void missingOrMisshapenTensorsAreNamed(String tensor) throws IOException {
        requireNamed(assistant().leaveOut(tensor), tensor);
        requireNamed(assistant().lengthen(tensor), tensor);
    }

    @ParameterizedTest
    @CsvSource({
        "nextn_predict_layers, 3, all 4 blocks",
        "embedding_length_out, 64, 128 as in the target model",
        "attention.sliding_window, 2, from 3",
        "attention.head_count_kv, 4, 2 as in layer 1",
        "attention.key_length_swa, 64, key length",
        "feed_forward_length, 0, from 1"
    })
    void mismatchedNumbersAreNamed(String key, int number, String expected) throws IOException {
        String name = "gemma4-assistant." + key;

        requireNamed(
                assistant().put(name, GgufValue.of(number)),
                key.equals("attention.key_length_swa") ? "attention.value_length_swa" : name,
                expected);
    }

    @Test
    void mismatchedHeadLengthsAreNamed() throws IOException {
        requireNamed(
                assistant()
                        .put("gemma4-assistant.attention.key_length_swa", GgufValue.of(16))
                        .put("gemma4-assistant.attention.value_length_swa", GgufValue.of(16))
                        .put("gemma4-assistant.rope.dimension_count_swa", GgufValue.of(16)),
                "attention.key_length_swa",
                "32 as in layer 1",
                "16");
    }

    @Test
    void modelWithOtherLastLayersIsNamed() throws IOException {
        Gemma4Model.Attention attention = TARGET.attention();
        Gemma4Model full =
                TARGET.withSharing(Gemma4Model.Sharing.NONE)
                        .withAttention(
                                new Gemma4Model.Attention(
                                        List.of(true, true, false, true, false, false),
                                        attention.window(),
                                        attention.heads(),
                                        attention.fullHeads(),
                                        attention.kvHeads(),
                                        attention.fullKvHeads(),
                                        attention.headDim(),
                                        attention.fullHeadDim(),
                                        false,
                                        false));

        requireNamed(
                Gemma4AssistantModel.of(full).writer(),
                full.write(folder),
                "attention.sliding_window_pattern",
                "no sliding block, since layer 4");
    }

    @Test
    void assistantOfAnotherFamilyIsRefused() throws IOException {
        requireNamed(
                assistant(),
                Qwen35Model.tiny().write(folder),
                "general.architecture",
                "gemma4-assistant");
    }
}
