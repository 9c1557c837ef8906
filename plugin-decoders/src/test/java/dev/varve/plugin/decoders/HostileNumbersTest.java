package dev.varve.plugin.decoders;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.Effort;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Any number in any key: a file is opened or refused by name, and no other exception is thrown. */
class HostileNumbersTest {
    private static final List<GgufValue> INTEGERS =
            List.of(
                    GgufValue.of(0),
                    GgufValue.of(-1),
                    GgufValue.of(1),
                    GgufValue.of(3),
                    GgufValue.of(Integer.MAX_VALUE),
                    GgufValue.of(Integer.MIN_VALUE),
                    new GgufValue.I64(Long.MAX_VALUE),
                    GgufValue.ints(List.of(0)),
                    GgufValue.ints(List.of(Integer.MAX_VALUE, 1)));

    private static final List<GgufValue> NUMBERS =
            List.of(
                    GgufValue.of(0f),
                    GgufValue.of(-1f),
                    GgufValue.of(Float.NaN),
                    GgufValue.of(Float.POSITIVE_INFINITY),
                    GgufValue.of(Float.MAX_VALUE),
                    GgufValue.of(Float.MIN_VALUE));

    @TempDir Path folder;

    @ParameterizedTest
    @EnumSource
    void fileIsOpenedOrRefusedByName(DecoderLayout layout) throws IOException {
        if (!new DecoderFamilies().architectures().contains(layout.architecture())) {
            return;
        }
        Path path = folder.resolve("model.gguf");
        writer(layout).writeHeader(path);
        List<String> keys =
                GgufFile.open(path).metadata().keys().stream()
                        .filter(key -> key.startsWith(layout.architecture() + "."))
                        .toList();
        int step = Effort.of(3, 1);
        int number = layout.ordinal();
        for (String key : keys) {
            for (GgufValue value : values(path, key)) {
                if (number++ % step == 0) {
                    requireOpenedOrRefused(layout, key, value);
                }
            }
        }
    }

    /** Values of the type that the key has. */
    private static List<GgufValue> values(Path path, String key) {
        boolean isReal =
                GgufFile.open(path).metadata().find(key).orElseThrow()
                        instanceof dev.varve.api.gguf.GgufValue.Real;
        return isReal ? NUMBERS : INTEGERS;
    }

    private void requireOpenedOrRefused(DecoderLayout layout, String key, GgufValue value)
            throws IOException {
        Path path = folder.resolve("changed.gguf");
        writer(layout).put(key, value).writeHeader(path);
        GgufFile file = GgufFile.open(path);
        try {
            new DecoderFamilies().open(file, ModelOptions.defaults()).shape();
            new DecoderFamilies()
                    .openMtp(file, file, ModelOptions.defaults())
                    .ifPresent(LayerSplitAdapter::shape);
        } catch (VarveException refusal) {
            assertTrue(
                    refusal.getMessage().startsWith("changed.gguf: "),
                    key + " = " + value + ": " + refusal.getMessage());
        } catch (RuntimeException e) {
            throw new AssertionError(key + " = " + value, e);
        }
    }

    private static GgufWriter writer(DecoderLayout layout) {
        return new DecoderModel(layout, 1, TensorType.F32).writer();
    }
}
