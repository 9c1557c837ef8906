package dev.varve.plugin.decoders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ShardGraph.ExpertGroups;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Parts of files that several architectures share. */
class DecoderFileTest {
    @TempDir Path folder;

    private static GgufWriter writer(DecoderLayout layout) {
        return new DecoderModel(layout, 1, TensorType.F32).writer();
    }

    private GgufFile file(GgufWriter writer) throws IOException {
        Path path = folder.resolve("model.gguf");
        writer.writeHeader(path);
        return GgufFile.open(path);
    }

    private DecoderFile read(GgufWriter writer) throws IOException {
        return new DecoderFile(file(writer), ModelOptions.defaults());
    }

    private LayerSplitAdapter open(GgufWriter writer) throws IOException {
        return new DecoderFamilies().open(file(writer), ModelOptions.defaults());
    }

    private String refusal(GgufWriter writer) {
        return assertThrows(ModelFormatException.class, () -> open(writer)).getMessage();
    }

    @Test
    void tensorPerExpertIsRefusedByName() {
        GgufWriter writer =
                writer(DecoderLayout.MIXTRAL)
                        .leaveOut("blk.0.ffn_gate_exps.weight")
                        .tensor(
                                "blk.0.ffn_gate.0.weight",
                                TensorType.F32,
                                List.of(256L, 96L),
                                TensorData.constant(0));

        assertEquals(
                "model.gguf: tensor blk.0.ffn_gate_exps.weight: expected one tensor of all experts,"
                        + " found a tensor per expert, as older converters wrote them",
                refusal(writer));
    }

    @ParameterizedTest
    @EnumSource(names = {"GPT_OSS", "QWEN2MOE", "MINIMAX_M2", "OLMO2"})
    void missingHeadIsRefusedWhereTheEmbeddingsCannotReplaceIt(DecoderLayout layout) {
        String message = refusal(writer(layout).leaveOut("output.weight"));

        assertTrue(message.contains("tensor output.weight: expected to be present"), message);
    }

    @Test
    void nonCausalModelIsRefused() {
        GgufWriter writer =
                writer(DecoderLayout.LLAMA).put("llama.attention.causal", GgufValue.of(false));

        String message = refusal(writer);

        assertTrue(message.contains("llama.attention.causal: expected true"), message);
    }

    /** Each would make logits that are no numbers. */
    @ParameterizedTest
    @CsvSource({
        "LLAMA, llama.rope.freq_base, 1e300",
        "LLAMA, llama.rope.scaling.factor, 1e-45",
        "GRANITE, granite.logit_scale, 1e-45",
        "GRANITE, granite.embedding_scale, -1e300",
        "GEMMA3, gemma3.final_logit_softcapping, 1e-45",
        "GEMMA3, gemma3.final_logit_softcapping, -30",
        "HUNYUAN_DENSE, hunyuan-dense.rope.scaling.alpha, 1e-44"
    })
    void numberWithoutUseInSinglePrecisionIsRefused(
            DecoderLayout layout, String key, double value) {
        String message = refusal(writer(layout).put(key, new GgufValue.F64(value)));

        assertTrue(message.startsWith("model.gguf: " + key + ": expected "), message);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 1, 1", "1, 0, 1, 1", "2, 1, 2, 1", "4, 2, 4, 2"})
    void groupsOfExpertsAreReadFromTwoOn(int count, int used, int expected, int expectedUsed)
            throws IOException {
        GgufWriter writer =
                writer(DecoderLayout.DEEPSEEK2)
                        .put("deepseek2.expert_group_count", GgufValue.of(count))
                        .put("deepseek2.expert_group_used_count", GgufValue.of(used));

        Mixture.Router router =
                read(writer).router(Mixture.Scoring.SOFTMAX, Mixture.ChoiceBias.OPTIONAL, false);

        assertEquals(new ExpertGroups(expected, expectedUsed), router.routing().groups());
        assertEquals(Mixture.Scoring.SIGMOID, router.scoring());
    }

    /** {@code rope.scaling.original_context_length}, and the model's 4,096 positions. */
    @ParameterizedTest
    @CsvSource({"4096, short", "8192, short", "2048, long"})
    void longerContextDecidesTheFactorsOfLongRope(int original, String expected)
            throws IOException {
        GgufWriter writer =
                writer(DecoderLayout.LLAMA)
                        .put("llama.rope.scaling.type", GgufValue.of("longrope"))
                        .put("llama.rope.scaling.original_context_length", GgufValue.of(original));

        Optional<String> factors = read(writer).keys().ropeFactors();

        assertEquals(Optional.of("rope_factors_" + expected + ".weight"), factors);
        String message = refusal(writer);
        assertTrue(message.contains("rope_factors_" + expected + ".weight"), message);
    }

    /** The model was trained for 4,096 positions. */
    @ParameterizedTest
    @CsvSource({"2048, 2048, short", "2048, 2049, long", "4096, 8192, short"})
    void lengthOfSequencesDecidesTheFactorsOfLongRope(int original, int context, String expected)
            throws IOException {
        GgufWriter writer =
                writer(DecoderLayout.LLAMA)
                        .put("llama.rope.scaling.type", GgufValue.of("longrope"))
                        .put("llama.rope.scaling.original_context_length", GgufValue.of(original));
        ModelOptions options = ModelOptions.defaults().withContext(context);

        ModelKeys keys = new DecoderFile(file(writer), options).keys();

        Optional<String> factors = Optional.of("rope_factors_" + expected + ".weight");
        assertEquals(factors, keys.ropeFactors());
        assertEquals(factors, keys.ropeFactorsByContext());
    }

    @Test
    void onlyFactorsThatTheContextDecidesAreAVariant() throws IOException {
        GgufFile scaled = file(longRope());
        DecoderFamilies families = new DecoderFamilies();
        ModelOptions options = ModelOptions.defaults();

        assertEquals(
                Optional.of("rope_factors_short.weight"),
                families.open(scaled, options.withContext(DecoderModel.LONG_CONTEXT))
                        .contextVariant());
        assertEquals(
                Optional.of("rope_factors_long.weight"),
                families.open(scaled, options.withContext(DecoderModel.LONG_CONTEXT + 1))
                        .contextVariant());
        assertEquals(Optional.empty(), open(writer(DecoderLayout.LLAMA)).contextVariant());
    }

    /** A model of phi3 with factors for long contexts, which some seeds have. */
    private static GgufWriter longRope() {
        return IntStream.range(0, 20)
                .mapToObj(seed -> new DecoderModel(DecoderLayout.PHI3, seed, TensorType.F32))
                .filter(DecoderModel::hasFactorsByContext)
                .findFirst()
                .orElseThrow()
                .writer();
    }

    @Test
    void latentRowIsTheStateOfLatentAttention() throws IOException {
        List<LayerState> absorbed = open(writer(DecoderLayout.DEEPSEEK2)).shape().layers();
        List<LayerState> perHead = open(writer(DecoderLayout.DEEPSEEK2_OLD)).shape().layers();

        assertEquals(
                new LayerState.FullAttention(1, 96, 64, LayerState.ValueRows.IN_KEYS),
                absorbed.getFirst());
        assertEquals(new LayerState.FullAttention(4, 64, 64), perHead.getFirst());
    }

    @Test
    void stretchBeyondFiniteBasesIsRefused() {
        GgufWriter writer =
                writer(DecoderLayout.HUNYUAN_DENSE)
                        .put("hunyuan-dense.rope.scaling.alpha", GgufValue.of(1e38f));

        String message = refusal(writer);

        assertTrue(
                message.contains("hunyuan-dense.rope.scaling.alpha: expected a factor"), message);
    }

    @ParameterizedTest
    @EnumSource(names = {"DEEPSEEK2", "GLM4MOE"})
    void sharedExpertsWiderThanAnyTensorAreRefused(DecoderLayout layout) {
        String key = layout.architecture() + ".expert_shared_count";

        String message = refusal(writer(layout).put(key, GgufValue.of(1 << 30)));

        assertTrue(message.contains(key + ": expected from 1 to 22369621, found"), message);
    }
}
