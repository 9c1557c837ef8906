package dev.varve.api.gguf;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.ggml.GgmlType;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class GgufTensorTest {
    private static final GgufTensor.Place PLACE =
            new GgufTensor.Place(Path.of("model-00002-of-00003.gguf"), 4096, 1088);

    private final GgufTensor tensor =
            new GgufTensor("blk.3.ffn_up.weight", GgmlType.Q8_0, List.of(32L, 16L, 2L), PLACE);

    @Test
    void missingDimensionsAreOne() {
        assertEquals(32, tensor.ne(0));
        assertEquals(2, tensor.ne(2));
        assertEquals(1, tensor.ne(3));
        assertEquals(1, tensor.ne(100));
    }

    @Test
    void dataPositionIsShown() {
        assertEquals(PLACE.file(), tensor.file());
        assertEquals(4096, tensor.offset());
        assertEquals(1088, tensor.bytes());
        assertEquals("Q8_0 [32, 16, 2]", tensor.describe());
    }

    @Test
    void trailingOnesMayBeOmitted() {
        GgufTensor vector = new GgufTensor("v", GgmlType.F32, List.of(8L, 1L, 1L), PLACE);

        assertDoesNotThrow(() -> vector.requireShape(8));
        assertDoesNotThrow(() -> vector.requireShape(8, 1, 1, 1));
        assertDoesNotThrow(() -> tensor.requireShape(32, 16, 2, 1));
    }

    @Test
    void shapeMismatchNamesBothShapes() {
        ModelFormatException error =
                assertThrows(ModelFormatException.class, () -> tensor.requireShape(32, 16));

        assertEquals(
                "model-00002-of-00003.gguf: tensor blk.3.ffn_up.weight: expected [32, 16], found"
                        + " Q8_0 [32, 16, 2]",
                error.getMessage());
        assertThrows(ModelFormatException.class, () -> tensor.requireShape(16, 32, 2));
        assertThrows(ModelFormatException.class, () -> tensor.requireShape(32, 16, 2, 2));
    }

    @Test
    void extentsAreCopied() {
        List<Long> extents = new ArrayList<>(List.of(8L));
        GgufTensor copied = new GgufTensor("v", GgmlType.F32, extents, PLACE);

        extents.set(0, 9L);

        assertEquals(8, copied.ne(0));
        assertThrows(UnsupportedOperationException.class, () -> copied.dimensions().set(0, 9L));
    }

    @Test
    void nullIsRefused() {
        assertThrows(
                NullPointerException.class,
                () -> new GgufTensor(null, GgmlType.F32, List.of(8L), PLACE));
        assertThrows(
                NullPointerException.class, () -> new GgufTensor("v", null, List.of(8L), PLACE));
        assertThrows(
                NullPointerException.class,
                () -> new GgufTensor("v", GgmlType.F32, List.of(8L), null));
        assertThrows(NullPointerException.class, () -> new GgufTensor.Place(null, 0, 1));
    }
}
