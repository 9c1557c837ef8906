package dev.varve.platform.mtp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.plugin.qwen35.Qwen35Family;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.LagunaModel;
import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Which files have a block for multi-token prediction of a model, and what is said of others. */
class MtpFileTest {
    @TempDir Path folder;

    private MtpFile read(GgufWriter file, SmallBlocks target) throws IOException {
        Path path = folder.resolve("block.gguf");
        file.write(path);
        OpenedModel model = SmallBlocks.open(target.write(folder), new Qwen35Family());
        return MtpFile.of(GgufFile.open(path), new Qwen35Family(), model, ModelOptions.defaults());
    }

    private String refusal(GgufWriter file) {
        VarveException thrown =
                assertThrows(VarveException.class, () -> read(file, SmallBlocks.DENSE));
        assertTrue(thrown.getMessage().contains("block.gguf"), thrown.getMessage());
        return thrown.getMessage();
    }

    private void requireNamed(GgufWriter file, String... names) {
        String message = refusal(file);
        for (String name : names) {
            assertTrue(message.contains(name), message);
        }
    }

    @ParameterizedTest
    @EnumSource(SmallBlocks.class)
    void fileOfTheBlockAloneUsesTheTargetForTheRest(SmallBlocks spec) throws IOException {
        GgufWriter alone = spec.writer();
        for (String name : alone.tensorNames()) {
            if (!name.startsWith("blk.4.")) {
                alone.leaveOut(name);
            }
        }

        MtpFile file = read(alone, spec);

        assertEquals(spec.block(folder).weightBytes(), file.weightBytes());
    }

    @Test
    void blockIsBehindTheLayersOfItsModel() throws IOException {
        MtpFile file = SmallBlocks.DENSE.block(folder);

        assertEquals(new LayerRange(4, 5), file.range());
        assertEquals(5, file.made());
        assertEquals(List.of(4), file.captures());
        assertEquals(128, file.width());
        assertEquals(2 * 128, file.columnLength());
        assertFalse(file.samePosition());
    }

    @Test
    void fileWithoutABlockIsRefused() {
        requireNamed(Qwen35Model.tiny().writer(), "qwen35.nextn_predict_layers", "found none");
        requireNamed(LagunaModel.tiny().writer(), "general.architecture", "qwen35", "laguna");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nextn.eh_proj.weight",
                "nextn.enorm.weight",
                "nextn.hnorm.weight",
                "attn_norm.weight",
                "attn_q.weight",
                "attn_k_norm.weight",
                "post_attention_norm.weight",
                "ffn_gate.weight",
                "ffn_down.weight"
            })
    void missingOrMisshapenTensorsAreNamed(String name) {
        String tensor = "blk.4." + name;

        requireNamed(SmallBlocks.DENSE.writer().leaveOut(tensor), tensor);
        requireNamed(
                SmallBlocks.DENSE.writer().lengthen(tensor),
                // The width of the feed-forward is what its gate has.
                name.equals("ffn_gate.weight") ? "blk.4.ffn_up.weight" : tensor);
    }

    @Test
    void blocksOfOtherModelsAreRefused() {
        requireNamed(
                SmallBlocks.DENSE.writer().put("qwen35.nextn_predict_layers", GgufValue.of(2)),
                "nextn_predict_layers",
                "1 block");
        Qwen35Model.Size more = new Qwen35Model.Size(4, 128, 256, 330, 4096);
        requireNamed(
                SmallBlocks.DENSE.model().withSize(more).writer(),
                "qwen35.vocab_size",
                "320",
                "330");
        Qwen35Model.Size wide = new Qwen35Model.Size(4, 256, 256, 320, 4096);
        requireNamed(
                SmallBlocks.DENSE.model().withSize(wide).writer(),
                "qwen35.embedding_length",
                "128 (as the target model has)",
                "256");
    }
}
