package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.runtime.UnreadKeys;
import dev.varve.platform.runtime.UnusedTensors;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.Effort;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.IntStream;

class UnusedTensorsTest {
    @TempDir Path folder;

    private static UnusedTensors unused(Path path) {
        GgufFile file = GgufFile.open(path);
        return UnusedTensors.of(file, Cpu.family(file).open(file, ModelOptions.defaults()));
    }

    @ParameterizedTest
    @EnumSource
    @ByDay(2)
    void everyTensorOfAModelIsUsedOrIgnoredForAReason(RandomModel.Family family)
            throws IOException {
        for (int seed = 1; seed <= Effort.of(4, 12); seed++) {
            UnusedTensors unused = unused(family.odd(seed).write(folder));

            assertEquals(Optional.empty(), unused.warning(), family + ", seed " + seed);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyTensorAndKeyOfADescribedModelIsUsed(DecoderLayout layout) throws IOException {
        for (int seed = 0; seed < Effort.of(1, 2); seed++) {
            Path file = new DecoderModel(layout, seed, TensorType.F32).write(folder);
            GgufFile gguf = GgufFile.open(file);
            LayerSplitAdapter model = Cpu.family(gguf).open(gguf, ModelOptions.defaults());

            assertEquals(Optional.empty(), UnusedTensors.of(gguf, model).warning());
            assertEquals(Optional.empty(), UnreadKeys.of(gguf).warning(), layout.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({"512, rope_factors_long.weight", "513, rope_factors_short.weight"})
    void factorsForOtherLengthsAreExpected(int context, String unused) throws IOException {
        Path file =
                IntStream.range(0, 20)
                        .mapToObj(
                                seed -> new DecoderModel(DecoderLayout.PHI3, seed, TensorType.F32))
                        .filter(DecoderModel::hasFactorsByContext)
                        .findFirst()
                        .orElseThrow()
                        .write(folder);
        GgufFile gguf = GgufFile.open(file);
        ModelOptions options = ModelOptions.defaults().withContext(context);

        UnusedTensors tensors = UnusedTensors.of(gguf, Cpu.family(gguf).open(gguf, options));

        String note = tensors.notes().getFirst();
        assertTrue(note.contains("(" + unused + ") for sequences of another length"), note);
        assertEquals(Optional.empty(), tensors.warning());
    }

    /** Keys that libllama reads for some architecture. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "rope.dimension_count_swa",
                "rope.dimension_sections_extra",
                "attention.clamp_kqv",
                "attention.max_alibi_bias",
                "attention.output_scale",
                "attention.value_scale",
                "attention.group_norm_groups",
                "attention.relative_buckets_count",
                "attention.indexer.top_k",
                "attention.shared_kv_layers",
                "attention.decay_lora_rank",
                "expert_group_scale",
                "expert_latent_length"
            })
    void keyThatIsNotUnderstoodIsReported(String name) throws IOException {
        Path file = folder.resolve(name + ".gguf");
        new DecoderModel(DecoderLayout.LLAMA, 1, TensorType.F32)
                .writer()
                .put("llama." + name, GgufValue.of(8))
                .write(file);
        GgufFile gguf = GgufFile.open(file);
        Cpu.family(gguf).open(gguf, ModelOptions.defaults());

        String warning = UnreadKeys.of(gguf).warning().orElseThrow();

        assertTrue(warning.endsWith("llama." + name), warning);
    }

    @Test
    void mtpBlocksAreNamed() throws IOException {
        UnusedTensors unused = unused(Qwen35Model.odd(withDrafting()).write(folder));

        String note = unused.notes().getFirst();
        assertTrue(note.contains("for multi-token prediction"), note);
        assertTrue(note.contains("blk."), note);
    }

    @Test
    void extraLayersInTheFileAreCountedAndNamed() throws IOException {
        GgufWriter writer = Qwen35Model.odd(withoutDrafting()).writer();
        Path complete = folder.resolve("complete.gguf");
        writer.write(complete);
        GgufFile whole = GgufFile.open(complete);
        Path cut = folder.resolve("cut.gguf");
        writer.put("qwen35.block_count", GgufValue.of(1)).write(cut);

        UnusedTensors unused = unused(cut);

        long expected =
                whole.tensors().stream()
                        .map(GgufTensor::name)
                        .filter(name -> name.startsWith("blk.") && !name.startsWith("blk.0."))
                        .count();
        assertEquals(expected, unused.tensors(UnusedTensors.Reason.UNKNOWN).size());
        String warning = unused.warning().orElseThrow();
        assertTrue(
                warning.startsWith("cut.gguf: " + expected + " tensors of ")
                        && warning.contains("(blk.1.")
                        && warning.contains("model of 1 layer; if qwen35.block_count is right"),
                warning);
    }

    private static long withDrafting() {
        return seed(true);
    }

    private static long withoutDrafting() {
        return seed(false);
    }

    private static long seed(boolean drafting) {
        long seed = 1;
        while (Qwen35Model.odd(seed).plan().nextnBlocks() > 0 != drafting
                || (!drafting && !Qwen35Model.odd(seed).plan().recurrentLayers().isEmpty())) {
            seed++;
        }
        return seed;
    }
}
