package dev.varve.plugin.gemma4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.ToolSyntax;
import dev.varve.testkit.Gemma4Model;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the family makes of a file, and which files it refuses. */
class Gemma4FamilyTest {
    @TempDir Path folder;

    @Test
    void theFamilyServesItsArchitectures() {
        assertEquals(Set.of("gemma4"), new Gemma4Family().architectures());
        assertTrue(new Gemma4Family().preTokenizers().isEmpty());
    }

    @Test
    void layersHaveHeadsOfTheirKindAndTheLastReadRowsOfOthers() throws IOException {
        LayerState sliding = new LayerState.SlidingAttention(24, 2, 32, 32);
        LayerState full = new LayerState.FullAttention(1, 64, 64);

        List<LayerState> layers = open(Gemma4Model.tiny().writer()).shape().layers();

        assertEquals(
                List.of(
                        sliding,
                        sliding,
                        full,
                        new LayerState.SharedAttention(1),
                        new LayerState.SharedAttention(1),
                        new LayerState.SharedAttention(2)),
                layers);
    }

    @Test
    void aBoundaryCarriesTheEmbeddingsOfTheLayersBehindIt() throws IOException {
        LayerSplitAdapter model = open(Gemma4Model.tiny().writer());

        assertEquals(
                List.of(128 + 5 * 32, 128 + 4 * 32, 128 + 32),
                List.of(model.boundaryLength(1), model.boundaryLength(2), model.boundaryLength(5)));
    }

    @Test
    void withoutEmbeddingsPerLayerABoundaryIsTheHiddenState() throws IOException {
        LayerSplitAdapter model = open(Gemma4Model.tiny().withPerLayerWidth(0).writer());

        assertEquals(128, model.boundaryLength(1));
    }

    @Test
    void layersWithoutRowsLoadNoKeys() throws IOException {
        LayerSplitAdapter model = open(Gemma4Model.tiny().writer());

        Set<String> names = names(model, new LayerRange(3, 6));

        assertEquals(
                Set.of(),
                names.stream()
                        .filter(name -> name.contains("attn_k") || name.contains("attn_v"))
                        .collect(Collectors.toSet()));
    }

    @Test
    void expertsStandBesideTheFeedForward() throws IOException {
        Gemma4Model mixed =
                Gemma4Model.tiny().withExperts(new Gemma4Model.Experts(6, 2, 64, false, false));

        Set<String> names = names(open(mixed.writer()), new LayerRange(0, 1));

        assertTrue(names.contains("EXPERT_MATMUL blk.0.ffn_down_exps.weight"), names.toString());
        assertTrue(names.contains("MATMUL blk.0.ffn_down.weight"), names.toString());
    }

    @Test
    void aSplitLoadsEveryTensorThatTheWholeModelLoads() throws IOException {
        for (long seed = 0; seed < 12; seed++) {
            Gemma4Model spec = Gemma4Model.odd(seed).withType(TensorType.F32);
            LayerSplitAdapter model = open(spec.writer());
            int layers = model.shape().layerCount();
            Set<String> whole = names(model, new LayerRange(0, layers));
            for (int cut = 1; cut < layers; cut++) {
                Set<String> first = names(model, new LayerRange(0, cut));
                Set<String> second = names(model, new LayerRange(cut, layers));
                Set<String> both = new TreeSet<>(first);
                both.addAll(second);
                assertEquals(whole, both, spec + ", cut at " + cut);
                first.retainAll(second);
                assertTrue(
                        first.stream().allMatch(name -> !name.contains("blk.")),
                        spec + ", cut at " + cut + ": twice " + first);
            }
        }
    }

    @Test
    void aShardLoadsTensorsOfItsOwnLayersOnly() throws IOException {
        LayerSplitAdapter model = open(Gemma4Model.tiny().writer());
        for (int layer = 0; layer < model.shape().layerCount(); layer++) {
            String own = "blk." + layer + ".";
            Set<String> others =
                    names(model, new LayerRange(layer, layer + 1)).stream()
                            .filter(name -> name.contains("blk.") && !name.contains(own))
                            .collect(Collectors.toSet());
            assertEquals(Set.of(), others, "layer " + layer);
        }
    }

    /** Also of those layers that a shard of this process would not load. */
    @Test
    void aFileThatLacksATensorIsRefusedByItsName() throws IOException {
        for (String name : Gemma4Model.tiny().writer().tensorNames()) {
            if (!(name.contains("layer_output_scale")
                    || name.contains("attn_v")
                    || name.equals("rope_freqs.weight"))) {
                requireNamed(Gemma4Model.tiny().writer().leaveOut(name), name);
            }
        }
    }

    @Test
    void aTensorOfAnotherShapeIsRefusedByItsName() throws IOException {
        for (String name : Gemma4Model.tiny().writer().tensorNames()) {
            if (!false) {
                requireNamed(Gemma4Model.tiny().writer().lengthen(name), name);
            }
        }
    }

    private void requireNamed(GgufWriter writer, String name) throws IOException {
        ModelFormatException refusal =
                assertThrows(ModelFormatException.class, () -> open(writer), name);
        assertTrue(
                refusal.getMessage().contains(name) && refusal.getMessage().contains(".gguf"),
                name + ": " + refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "block_count",
        "context_length",
        "embedding_length",
        "attention.head_count",
        "attention.layer_norm_rms_epsilon",
        "feed_forward_length",
        "attention.sliding_window"
    })
    void aFileThatLacksAKeyIsRefusedByIt(String key) throws IOException {
        GgufWriter writer = Gemma4Model.tiny().writer().leaveOut("gemma4." + key);

        VarveException refusal = assertThrows(VarveException.class, () -> open(writer));

        assertTrue(refusal.getMessage().contains("gemma4." + key), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "block_count, 0, block_count",
        "block_count, 1e9, at most 4096",
        "embedding_length, 0, embedding_length",
        "context_length, 0, context_length",
        "attention.head_count_kv, 3, a multiple of the KV heads",
        "attention.layer_norm_rms_epsilon, 1.5, from 0 to below 1",
        "attention.value_length, 7, key length",
        "attention.value_length_swa, 7, key length",
        "rope.dimension_count, 7, even",
        "rope.dimension_count_swa, 4096, at most the head length",
        "rope.freq_base, -1.5, positive",
        "attention.sliding_window, 0, attention.sliding_window",
        "attention.shared_kv_layers, 6, from 0 to 5",
        "attention.shared_kv_layers, 5, a layer of the kind",
        "final_logit_softcapping, -1.5, from 0",
        "embedding_length_per_layer_input, 1e9, from 0 to"
    })
    void aSenselessNumberIsRefusedWithWhatWasExpected(String key, double value, String expected)
            throws IOException {
        GgufValue number =
                value == Math.rint(value) && Math.abs(value) < 1e15
                        ? GgufValue.of((long) value)
                        : GgufValue.of((float) value);
        GgufWriter writer = Gemma4Model.tiny().writer().put("gemma4." + key, number);

        VarveException refusal =
                assertThrows(VarveException.class, () -> open(writer), key + " = " + value);

        assertTrue(
                refusal.getMessage().contains(": gemma4.")
                        && refusal.getMessage().contains(expected),
                refusal.getMessage());
    }

    @Test
    void flagsThatAreFewerThanTheLayersAreRefused() throws IOException {
        GgufWriter writer =
                Gemma4Model.tiny()
                        .writer()
                        .put(
                                "gemma4.attention.sliding_window_pattern",
                                GgufValue.booleans(List.of(true, false)));

        VarveException refusal = assertThrows(VarveException.class, () -> open(writer));

        assertTrue(refusal.getMessage().contains("at least 6 entries"), refusal.getMessage());
    }

    @Test
    void valuesOfALayerMayBeItsKeys() throws IOException {
        Gemma4Model model = Gemma4Model.tiny();
        List<String> values =
                IntStream.range(0, 3).mapToObj(layer -> "blk." + layer + ".attn_v.weight").toList();
        GgufWriter writer = model.writer();
        values.stream().filter(writer.tensorNames()::contains).forEach(writer::leaveOut);

        List<String> loaded = new ArrayList<>();
        for (TensorSelection.Entry entry : open(writer).tensors(new LayerRange(0, 3)).entries()) {
            loaded.add(entry.tensor().name());
        }

        assertTrue(loaded.stream().noneMatch(values::contains), loaded.toString());
        assertTrue(loaded.contains("blk.0.attn_k.weight"), loaded.toString());
    }

    @Test
    void thoughtsAndCallsAreMarkedAsTheModelWritesThem() throws IOException {
        LayerSplitAdapter model = open(Gemma4Model.tiny().writer());

        ToolSyntax tools = model.chatDialect().tools().orElseThrow();
        ReasoningMarks marks = model.chatDialect().reasoning().orElseThrow();

        assertEquals("thought\n", marks.label());
        assertEquals("<|tool_call>", tools.open());
        assertEquals("call:", tools.beforeName());
        assertEquals(List.of("<|\"|>"), tools.innerMarks());
    }

    private LayerSplitAdapter open(GgufWriter writer) throws IOException {
        Path file = folder.resolve("model.gguf");
        writer.write(file);
        return new Gemma4Family().open(GgufFile.open(file), ModelOptions.defaults());
    }

    private static Set<String> names(LayerSplitAdapter model, LayerRange range) {
        return model.tensors(range).entries().stream()
                .map(entry -> entry.use() + " " + entry.tensor().name())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
