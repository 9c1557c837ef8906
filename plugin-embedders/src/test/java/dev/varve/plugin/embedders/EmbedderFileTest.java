package dev.varve.plugin.embedders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.TextEncoder;
import dev.varve.testkit.EncoderModel;
import dev.varve.testkit.EncoderModel.Kind;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class EmbedderFileTest {
    /** Tensors that files of some models lack. */
    private static final Pattern OPTIONAL =
            Pattern.compile(
                    ".*\\.bias|token_types\\.weight|cls\\..*|dense_2\\.weight|.*attn_norm_2\\.weight"
                        + "|blk\\.\\d+\\.attn_[qk]_norm\\.weight");

    @TempDir Path folder;

    private static EncoderModel model(Kind kind) {
        return new EncoderModel(kind, 1, TensorType.F32, Pooling.MEAN.ordinal(), true);
    }

    private GgufFile file(GgufWriter writer) throws IOException {
        Path path = folder.resolve("model-" + System.nanoTime() + ".gguf");
        writer.writeHeader(path);
        return GgufFile.open(path);
    }

    private static TextEncoder open(GgufFile file) {
        return new EmbedderFamilies().openEncoder(file, ModelOptions.defaults()).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void fileIsReadAndAllItsTensorsAreSelected(Kind kind) throws IOException {
        GgufFile file = file(model(kind).writer());

        TextEncoder encoder = open(file);

        assertEquals(model(kind).vectorLength(), encoder.sizes().embeddingLength());
        assertEquals(512, encoder.sizes().contextLength());
        assertEquals(Pooling.MEAN, encoder.pooling());
        assertTrue(encoder.ranks());
        Set<String> selected =
                encoder.tensors().entries().stream()
                        .map(entry -> entry.tensor().name())
                        .collect(Collectors.toSet());
        file.tensors().forEach(each -> assertTrue(selected.contains(each.name()), each.name()));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void missingTensorIsRefusedByName(Kind kind) throws IOException {
        List<String> accepted = new ArrayList<>();
        for (String name : model(kind).writer().tensorNames()) {
            if (name.startsWith("blk.") && !name.startsWith("blk.1.")) {
                continue;
            }
            GgufFile file = file(model(kind).writer().leaveOut(name));
            try {
                open(file);
                accepted.add(name);
            } catch (ModelFormatException e) {
                String stem = name.replaceAll("\\.weight$", "");
                assertTrue(
                        e.getMessage().contains(stem) || e.getMessage().contains(fallback(name)),
                        name + ": " + e.getMessage());
            }
        }
        accepted.forEach(name -> assertTrue(isOptional(kind, name), name + " is missing"));
    }

    /** Tensor that a file without this one would need. */
    private static String fallback(String name) {
        return name.contains("attn_qkv")
                ? "attn_q"
                : name.contains("ffn_gate") ? "ffn_up" : "dense_3";
    }

    private static boolean isOptional(Kind kind, String name) {
        // Gemma has norms of the heads in every file.
        boolean ofHeads = name.contains("attn_q_norm") || name.contains("attn_k_norm");
        return OPTIONAL.matcher(name).matches() && !(ofHeads && kind == Kind.GEMMA);
    }

    @Test
    void architectureGeneratesNoText() throws IOException {
        GgufFile file = file(model(Kind.BERT).writer());

        VarveException thrown =
                assertThrows(
                        VarveException.class,
                        () -> new EmbedderFamilies().open(file, ModelOptions.defaults()));

        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, thrown.kind());
        assertTrue(thrown.getMessage().contains("generate no text"), thrown.getMessage());
    }

    @Test
    void everyKindHasItsArchitecture() {
        assertEquals(
                Arrays.stream(Kind.values()).map(Kind::key).collect(Collectors.toSet()),
                new EmbedderFamilies().architectures());
    }

    @Test
    void fileWithoutAPoolingHasTheAverage() throws IOException {
        GgufWriter writer = model(Kind.BERT).writer().put("bert.pooling_type", GgufValue.of(77));

        assertEquals(Pooling.MEAN, open(file(writer)).pooling());
    }

    @Test
    void fileWithoutAClassifierDoesNotRank() throws IOException {
        EncoderModel plain =
                new EncoderModel(Kind.BERT, 1, TensorType.F32, Pooling.CLS.ordinal(), false);

        TextEncoder encoder = open(file(plain.writer()));

        assertFalse(encoder.ranks());
        assertEquals(Pooling.CLS, encoder.pooling());
    }
}
