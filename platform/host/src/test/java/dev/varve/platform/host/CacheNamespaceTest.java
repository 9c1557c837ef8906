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
import dev.varve.platform.store.Namespace;

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
}
