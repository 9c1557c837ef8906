package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Varve's own model families load files and refuse malformed ones. The test of a family extends
 * this class and adds the cases of that family. This class is stricter than {@link
 * ModelFamilyContract}, which does not know the optional tensors and keys of a family. The reader
 * refuses a truncated file before a family opens it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // lets instance methods give the cases
public abstract class FamilyFileTest {
    private static final String FILE = "model.gguf";
    private static final int ODD_MODELS = 12;

    @TempDir private Path folder;

    /** For extending classes. */
    protected FamilyFileTest() {}

    /**
     * A number that no model can have.
     *
     * @param key without the architecture
     * @param expected what the refusal must say was expected
     */
    protected record SenselessNumber(String key, GgufValue value, String expected) {
        /** A value of any type. */
        public SenselessNumber {}

        /** An integer. */
        public SenselessNumber(String key, long value, String expected) {
            this(key, GgufValue.of(value), expected);
        }

        /** A floating-point number. */
        public SenselessNumber(String key, float value, String expected) {
            this(key, GgufValue.of(value), expected);
        }
    }

    /** The family, new each time. */
    protected abstract ModelFamilyProvider family();

    /** A small model, new each time, whose files are broken. */
    protected abstract GgufWriter tiny();

    /** A model of unusual sizes. */
    protected abstract GgufWriter odd(long seed);

    /** Whether the small model runs without a tensor. */
    protected abstract boolean isOptional(String tensor);

    /** Keys without the architecture that this family needs beyond those that all need. */
    protected abstract List<String> ownKeys();

    /** Beyond those of the keys that all families read. */
    protected abstract List<SenselessNumber> ownSenselessNumbers();

    /**
     * Keys without the architecture that other families read, but not this one, or with another
     * meaning; {@link #ownSenselessNumbers} may have them.
     */
    protected Set<String> otherKeys() {
        return Set.of();
    }

    /** Opens a model as a file. */
    protected final LayerSplitAdapter open(GgufWriter writer) throws IOException {
        Path file = folder.resolve(FILE);
        writer.writeHeader(file);
        return family().open(GgufFile.open(file), ModelOptions.defaults());
    }

    /** The message of the exception with which the family refuses a file. */
    protected final String refusal(GgufWriter writer) {
        return assertThrows(VarveException.class, () -> open(writer)).getMessage();
    }

    /** Each tensor that a range loads, behind its use: {@code MATMUL output.weight}. */
    protected static Set<String> names(LayerSplitAdapter model, LayerRange range) {
        return model.tensors(range).entries().stream()
                .map(entry -> entry.use() + " " + entry.tensor().name())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void splitLoadsEveryTensorOfTheWholeModel() throws IOException {
        for (long seed = 0; seed < ODD_MODELS; seed++) {
            LayerSplitAdapter model = open(odd(seed));
            int layers = model.shape().layerCount();
            Set<String> whole = names(model, new LayerRange(0, layers));
            for (int cut = 1; cut < layers; cut++) {
                String message = "seed " + seed + ", cut at " + cut;
                Set<String> first = names(model, new LayerRange(0, cut));
                Set<String> second = names(model, new LayerRange(cut, layers));
                Set<String> both = new TreeSet<>(first);
                both.addAll(second);
                assertEquals(whole, both, message);
                first.retainAll(second);
                assertTrue(
                        first.stream().noneMatch(name -> name.contains("blk.")),
                        message + ": twice " + first);
            }
        }
    }

    @Test
    void shardLoadsOnlyTensorsOfItsLayers() throws IOException {
        LayerSplitAdapter model = open(tiny());
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
    void missingTensorIsRefusedByName() {
        for (String name : tiny().tensorNames()) {
            if (!isOptional(name)) {
                requireNamed(tiny().leaveOut(name), name);
            }
        }
    }

    @Test
    void tensorOfAnotherShapeIsRefusedByName() {
        for (String name : tiny().tensorNames()) {
            requireNamed(tiny().lengthen(name), name);
        }
    }

    private void requireNamed(GgufWriter writer, String tensor) {
        String message =
                assertThrows(ModelFormatException.class, () -> open(writer), tensor).getMessage();

        assertTrue(message.contains(tensor) && message.contains(FILE), tensor + ": " + message);
    }

    @ParameterizedTest
    @MethodSource("neededKeys")
    void missingKeyIsRefusedByName(String name) throws IOException {
        String key = prefix() + name;

        String message = refusal(tiny().leaveOut(key));

        assertTrue(message.contains(key), message);
    }

    Stream<String> neededKeys() {
        List<String> common =
                List.of(
                        "block_count",
                        "context_length",
                        "embedding_length",
                        "attention.head_count",
                        "attention.layer_norm_rms_epsilon",
                        "feed_forward_length");
        return Stream.concat(
                common.stream().filter(key -> !otherKeys().contains(key)), ownKeys().stream());
    }

    @ParameterizedTest
    @MethodSource("senselessNumbers")
    void invalidNumberIsRefusedWithTheExpectedRange(SenselessNumber number) throws IOException {
        String prefix = prefix();

        String message = refusal(tiny().put(prefix + number.key(), number.value()));

        assertTrue(message.contains(": " + prefix) && message.contains(number.expected()), message);
    }

    Stream<SenselessNumber> senselessNumbers() {
        List<SenselessNumber> common =
                List.of(
                        new SenselessNumber("block_count", 0, "block_count"),
                        new SenselessNumber("block_count", 1_000_000_000, "at most 4096"),
                        new SenselessNumber("embedding_length", 0, "embedding_length"),
                        new SenselessNumber("context_length", 0, "context_length"),
                        new SenselessNumber("attention.head_count", 0, "attention.head_count"),
                        new SenselessNumber(
                                "attention.head_count_kv", 3, "a multiple of the KV heads"),
                        new SenselessNumber(
                                "attention.layer_norm_rms_epsilon", 1.5f, "from 0 to below 1"),
                        new SenselessNumber("attention.value_length", 7, "key length"),
                        new SenselessNumber("rope.dimension_count", 7, "even"),
                        new SenselessNumber(
                                "rope.dimension_count", 4096, "at most the head length"),
                        new SenselessNumber("rope.freq_base", -1.5f, "positive"));
        return Stream.concat(
                common.stream().filter(number -> !otherKeys().contains(number.key())),
                ownSenselessNumbers().stream());
    }

    /** The prefix of the small model's keys. */
    private String prefix() throws IOException {
        return open(tiny()).shape().architecture() + ".";
    }
}
