package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.LayerState.ValueRows;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.TensorPlacement;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.platform.store.Namespace;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Cached prefixes are used only with the rows and the choices of the model that wrote them. */
class CacheNamespaceTest {
    private static final LayerState PLAIN = new LayerState.FullAttention(1, 64, 32);
    private static final LayerState LATENT =
            new LayerState.FullAttention(1, 64, 32, ValueRows.IN_KEYS);

    @TempDir Path folder;

    private GgufFile file;

    @BeforeEach
    void writeModel() throws IOException {
        file = GgufFile.open(PlainModel.mixed(256).write(folder));
    }

    private Namespace namespace(LayerState state, Optional<String> variant, int context) {
        return namespace(state, variant, context, TensorPlacement.NONE);
    }

    private Namespace namespace(
            LayerState state, Optional<String> variant, int context, TensorPlacement tensors) {
        return CacheNamespace.of(
                new OpenedModel(file, new DescribedModel(state, variant)),
                ModelSettings.single(context),
                new Placement(
                        List.of(
                                new Placement.Part(
                                        DeviceReference.PROCESSOR, new LayerRange(0, 1), tensors))),
                new PlainPlugins().catalog(),
                false);
    }

    private static void assertApart(Namespace first, Namespace second) {
        assertFalse(Arrays.equals(first.id(), second.id()), first.description()::toString);
    }

    @Test
    void lengthOfSequencesAloneChangesNothing() {
        assertArrayEquals(
                namespace(PLAIN, Optional.empty(), 100).id(),
                namespace(PLAIN, Optional.empty(), 200).id());
    }

    @Test
    void choicesByTheLengthOfSequencesAreApart() {
        Namespace shorter = namespace(PLAIN, Optional.of("short"), 100);
        Namespace longer = namespace(PLAIN, Optional.of("long"), 200);

        assertApart(shorter, longer);
        assertApart(shorter, namespace(PLAIN, Optional.empty(), 100));
        assertArrayEquals(longer.id(), namespace(PLAIN, Optional.of("long"), 300).id());
        assertEquals("long", longer.description().get("context_variant"));
    }

    /** The experts of another backend round in another way. */
    @Test
    void expertsOnAnotherBackendAreApart() {
        Namespace plain = namespace(PLAIN, Optional.empty(), 100);
        Namespace spread =
                namespace(
                        PLAIN,
                        Optional.empty(),
                        100,
                        new TensorPlacement(Map.of("blk.0.ffn_up_exps.weight", "other:0")));

        assertApart(plain, spread);
        assertTrue(spread.description().get("backends").contains("other"));
    }

    /** Earlier releases wrote V rows beside the K rows that contain them. */
    @Test
    void rowsWithTheirValuesInTheKeysAreApartFromThoseWithACopy() {
        assertApart(
                namespace(PLAIN, Optional.empty(), 100), namespace(LATENT, Optional.empty(), 100));
    }

    /** Rows that an adapter changed are not those of the model, nor of another scale. */
    @Test
    void contentAndScaleOfAdaptersAreApart() throws IOException {
        OpenedModel plain = new OpenedModel(file, PlainModel.read(file));
        OpenedModel adapted = adapted(plain, "a.gguf", 0, 1);

        assertEquals(0, CacheNamespace.variant(plain).length);
        assertApart(namespace(plain), namespace(adapted));
        assertApart(namespace(adapted), namespace(adapted(plain, "a.gguf", 0, 0.5f)));
        assertApart(namespace(adapted), namespace(adapted(plain, "c.gguf", 1, 1)));
        assertArrayEquals(namespace(adapted).id(), namespace(adapted(plain, "b.gguf", 0, 1)).id());
    }

    private OpenedModel adapted(OpenedModel model, String name, float value, float scale)
            throws IOException {
        Path path = folder.resolve(name);
        String weight = "blk.0.attn_q.weight";
        new GgufWriter()
                .put("general.type", GgufValue.of("adapter"))
                .put("general.architecture", GgufValue.of(model.file().architecture()))
                .put("adapter.type", GgufValue.of("lora"))
                .tensor(
                        weight + ".lora_a",
                        TensorType.F32,
                        shapeOf(weight, 0),
                        TensorData.constant(value))
                .tensor(
                        weight + ".lora_b",
                        TensorType.F32,
                        shapeOf(weight, 1),
                        TensorData.constant(1))
                .write(path);
        LoraAdapter adapter = LoraAdapter.of(GgufFile.open(path), scale);
        return new OpenedModel(
                model.file(), AdaptedModel.of(model.file(), model.adapter(), List.of(adapter)));
    }

    private List<Long> shapeOf(String weight, int side) {
        long extent = file.requireTensor(weight).ne(side);
        return side == 0 ? List.of(extent, 2L) : List.of(2L, extent);
    }

    private Namespace namespace(OpenedModel model) {
        return CacheNamespace.of(
                model,
                ModelSettings.single(100),
                new Placement(
                        List.of(
                                new Placement.Part(
                                        DeviceReference.PROCESSOR,
                                        new LayerRange(0, 1),
                                        TensorPlacement.NONE))),
                new PlainPlugins().catalog(),
                false);
    }
}
