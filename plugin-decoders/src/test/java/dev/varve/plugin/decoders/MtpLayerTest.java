package dev.varve.plugin.decoders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelOptions;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Blocks for multi-token prediction behind the layers of these families. */
class MtpLayerTest {
    private static final LayerRange BLOCK = new LayerRange(4, 5);

    @TempDir Path folder;

    private static GgufWriter writer(DecoderLayout layout) {
        return new DecoderModel(layout, 1, TensorType.F32).writer();
    }

    private GgufFile file(String name, GgufWriter writer) throws IOException {
        Path path = folder.resolve(name);
        writer.writeHeader(path);
        return GgufFile.open(path);
    }

    private Optional<LayerSplitAdapter> open(GgufWriter writer) throws IOException {
        GgufFile file = file("model.gguf", writer);
        return new DecoderFamilies().openMtp(file, file, ModelOptions.defaults());
    }

    private String refusal(GgufWriter writer) {
        return assertThrows(ModelFormatException.class, () -> open(writer)).getMessage();
    }

    private static Set<String> names(LayerSplitAdapter block) {
        return block.tensors(BLOCK).entries().stream()
                .map(entry -> entry.tensor().name())
                .collect(Collectors.toSet());
    }

    /** Keys of each layer hold a number for the block, or none. */
    @Test
    void blockHasTheStateOfALayerBehindTheBackbone() throws IOException {
        GgufWriter listed =
                writer(DecoderLayout.GLM4MOE_MTP)
                        .put("glm4moe.attention.head_count", GgufValue.ints(List.of(4, 4, 4, 4)));

        List<LayerState> heads = open(listed).orElseThrow().shape().layers();
        List<LayerState> latent =
                open(writer(DecoderLayout.DEEPSEEK2_MTP)).orElseThrow().shape().layers();

        assertEquals(5, heads.size());
        assertEquals(LayerState.Custom.nothing(), heads.get(3));
        assertEquals(new LayerState.FullAttention(2, 64, 64), heads.get(4));
        assertEquals(
                new LayerState.FullAttention(1, 96, 64, LayerState.ValueRows.IN_KEYS),
                latent.get(4));
    }

    @ParameterizedTest
    @EnumSource(names = {"GLM4MOE_MTP", "DEEPSEEK2_MTP"})
    void blockHasAllTensorsBehindTheBackbone(DecoderLayout layout) throws IOException {
        GgufWriter writer = writer(layout);

        LayerSplitAdapter block = open(writer).orElseThrow();

        Set<String> expected =
                writer.tensorNames().stream()
                        .filter(name -> name.startsWith("blk.4."))
                        .collect(Collectors.toSet());
        expected.add("output_norm.weight");
        assertEquals(expected, names(block));
        assertEquals(512, block.boundaryLength(4));
    }

    @ParameterizedTest
    @EnumSource(names = {"GLM4MOE_MTP", "DEEPSEEK2_MTP"})
    void fileOfTheBlockAloneUsesTheTargetForTheRest(DecoderLayout layout) throws IOException {
        GgufWriter alone = writer(layout);
        for (String name : alone.tensorNames()) {
            if (!name.startsWith("blk.4.") || name.contains("embed_tokens")) {
                alone.leaveOut(name);
            }
        }

        LayerSplitAdapter block =
                new DecoderFamilies()
                        .openMtp(
                                file("block.gguf", alone),
                                file("target.gguf", writer(layout)),
                                ModelOptions.defaults())
                        .orElseThrow();

        assertTrue(names(block).contains("token_embd.weight"), names(block).toString());
    }

    @ParameterizedTest
    @EnumSource(names = {"GLM4MOE_MTP", "DEEPSEEK2_MTP"})
    void missingTensorsAreNamed(DecoderLayout layout) {
        for (String name : List.of("nextn.eh_proj", "nextn.hnorm", "attn_norm", "ffn_down_exps")) {
            String tensor = "blk.4." + name + ".weight";

            String message = refusal(writer(layout).leaveOut(tensor));

            assertTrue(message.contains(tensor), message);
        }
    }

    @Test
    void moreThanOneBlockIsRefused() {
        GgufWriter writer =
                writer(DecoderLayout.GLM4MOE_MTP)
                        .put("glm4moe.block_count", GgufValue.of(6))
                        .put("glm4moe.nextn_predict_layers", GgufValue.of(2));

        String message = refusal(writer);

        assertTrue(message.contains("nextn_predict_layers: expected 1 block"), message);
    }

    @Test
    void fileWithoutTheTensorsOfABlockHasNone() throws IOException {
        GgufWriter trunk = writer(DecoderLayout.GLM4MOE_MTP);
        for (String name : trunk.tensorNames()) {
            if (name.startsWith("blk.4.")) {
                trunk.leaveOut(name);
            }
        }

        assertEquals(Optional.empty(), open(trunk));
        assertEquals(Optional.empty(), open(writer(DecoderLayout.GLM4MOE)));
    }

    @Test
    void otherArchitecturesHaveNoBlock() throws IOException {
        GgufWriter writer =
                writer(DecoderLayout.GLM4).put("glm4.nextn_predict_layers", GgufValue.of(1));

        assertEquals(Optional.empty(), open(writer));
    }
}
