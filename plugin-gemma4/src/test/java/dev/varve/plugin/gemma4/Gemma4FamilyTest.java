package dev.varve.plugin.gemma4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.ToolSyntax;
import dev.varve.contracts.FamilyFileTest;
import dev.varve.testkit.Gemma4Model;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The family reads model files of its architecture and refuses invalid ones. */
class Gemma4FamilyTest extends FamilyFileTest {
    @Override
    protected ModelFamilyProvider family() {
        return new Gemma4Family();
    }

    @Override
    protected GgufWriter tiny() {
        return Gemma4Model.tiny().writer();
    }

    @Override
    protected GgufWriter odd(long seed) {
        return Gemma4Model.odd(seed).withType(TensorType.F32).writer();
    }

    @Override
    protected boolean isOptional(String tensor) {
        return tensor.contains("layer_output_scale")
                || tensor.contains("attn_v")
                || tensor.equals("rope_freqs.weight");
    }

    @Override
    protected List<String> ownKeys() {
        return List.of("attention.sliding_window");
    }

    @Override
    protected List<SenselessNumber> ownSenselessNumbers() {
        return List.of(
                new SenselessNumber("attention.value_length_swa", 7, "key length"),
                new SenselessNumber("rope.dimension_count_swa", 4096, "at most the head length"),
                new SenselessNumber("attention.sliding_window", 0, "attention.sliding_window"),
                new SenselessNumber("attention.shared_kv_layers", 6, "from 0 to 5"),
                new SenselessNumber("attention.shared_kv_layers", 5, "a layer of the same kind"),
                new SenselessNumber("final_logit_softcapping", -1.5f, "from 0"),
                new SenselessNumber(
                        "embedding_length_per_layer_input", 1_000_000_000, "from 0 to"));
    }

    @Test
    void familySupportsItsArchitectures() {
        assertEquals(Set.of("gemma4"), new Gemma4Family().architectures());
        assertEquals(Set.of("gemma4-assistant"), new Gemma4Family().assistants());
        assertTrue(new Gemma4Family().preTokenizers().isEmpty());
    }

    @Test
    void layersHaveHeadsOfTheirKindAndTheLastShareRows() throws IOException {
        LayerState sliding = new LayerState.SlidingAttention(24, 2, 32, 32);
        LayerState full = new LayerState.FullAttention(1, 64, 64);

        List<LayerState> layers = open(tiny()).shape().layers();

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
    void boundaryCarriesTheEmbeddingsOfTheLayersBehindIt() throws IOException {
        LayerSplitAdapter model = open(tiny());

        assertEquals(
                List.of(128 + 5 * 64, 128 + 4 * 64, 128 + 64),
                List.of(model.boundaryLength(1), model.boundaryLength(2), model.boundaryLength(5)));
    }

    @Test
    void withoutPerLayerEmbeddingsABoundaryIsTheHiddenState() throws IOException {
        LayerSplitAdapter model = open(Gemma4Model.tiny().withPerLayerWidth(0).writer());

        assertEquals(128, model.boundaryLength(1));
    }

    @Test
    void layersWithoutRowsLoadNoKeys() throws IOException {
        LayerSplitAdapter model = open(tiny());

        Set<String> names = names(model, new LayerRange(3, 6));

        assertEquals(
                Set.of(),
                names.stream()
                        .filter(name -> name.contains("attn_k") || name.contains("attn_v"))
                        .collect(Collectors.toSet()));
    }

    @Test
    void expertsAreBesideTheFeedForward() throws IOException {
        Gemma4Model mixed =
                Gemma4Model.tiny().withExperts(new Gemma4Model.Experts(6, 2, 64, false, false));

        Set<String> names = names(open(mixed.writer()), new LayerRange(0, 1));

        assertTrue(names.contains("EXPERT_MATMUL blk.0.ffn_down_exps.weight"), names.toString());
        assertTrue(names.contains("MATMUL blk.0.ffn_down.weight"), names.toString());
    }

    @Test
    void fewerFlagsThanLayersAreRefused() throws IOException {
        GgufWriter writer =
                Gemma4Model.tiny()
                        .writer()
                        .put(
                                "gemma4.attention.sliding_window_pattern",
                                GgufValue.booleans(List.of(true, false)));

        String message = refusal(writer);

        assertTrue(message.contains("at least 6 entries"), message);
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
    void reasoningAndCallsUseTheModelSyntax() throws IOException {
        LayerSplitAdapter model = open(tiny());

        ToolSyntax tools = model.chatDialect().tools().orElseThrow();
        ReasoningMarks marks = model.chatDialect().reasoning().orElseThrow();

        assertEquals("thought\n", marks.label());
        assertEquals("<|tool_call>", tools.open());
        assertEquals("call:", tools.beforeName());
        assertEquals(List.of("<|\"|>"), tools.innerMarks());
    }
}
