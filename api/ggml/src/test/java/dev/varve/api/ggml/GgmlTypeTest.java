package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Locale;
import java.util.Optional;

/** Known without the native library; {@code AbiSelfTest} compares it with what was loaded. */
class GgmlTypeTest {
    @ParameterizedTest
    @EnumSource
    void typeIsFoundByNumberAndByNameInAnyCase(GgmlType type) {
        assertEquals(Optional.of(type), GgmlType.byId(type.id()));
        assertEquals(Optional.of(type), GgmlType.parse(type.ggufName()));
        assertEquals(Optional.of(type), GgmlType.parse(type.name().toUpperCase(Locale.ROOT)));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 4, 5, 31, 43, 1000, Integer.MAX_VALUE})
    void unknownTypeNumbersAreRefused(int id) {
        assertEquals(Optional.empty(), GgmlType.byId(id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "q9_0", "f32 ", "Q8", "null"})
    void unknownTypeNamesAreRefused(String name) {
        assertEquals(Optional.empty(), GgmlType.parse(name));
    }

    @ParameterizedTest
    @CsvSource({"F32, 0, 0", "F32, 5, 20", "Q8_0, 64, 68", "Q4_K, 512, 288", "IQ2_XXS, 256, 66"})
    void rowsAreWholeBlocks(GgmlType type, long elements, long bytes) {
        assertEquals(bytes, type.rowBytes(elements));
    }

    @ParameterizedTest
    @CsvSource({"Q8_0, 33", "Q8_0, 1", "Q4_K, 32", "F32, -1", "Q8_0, -32"})
    void partialBlocksAreRefused(GgmlType type, long elements) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> type.rowBytes(elements))
                        .getMessage();

        assertEquals(
                elements
                        + " elements are not whole blocks of "
                        + type.blockSize()
                        + " ("
                        + type.ggufName()
                        + ")",
                message);
    }

    @Test
    void rowWithOverflowingBytesIsRefused() {
        assertThrows(ArithmeticException.class, () -> GgmlType.F64.rowBytes(1L << 61));
        assertEquals(1L << 62, GgmlType.F32.rowBytes(1L << 60));
    }

    @Test
    void weightTypesExcludeIntegerAndIntermediateTypes() {
        assertTrue(GgmlType.Q4_K.isWeightType());
        assertTrue(GgmlType.F16.isWeightType());
        assertFalse(GgmlType.I32.isWeightType());
        assertFalse(GgmlType.Q8_K.isWeightType());
        assertFalse(GgmlType.IQ1_S.isWritable());
        assertTrue(GgmlType.Q8_0.isWritable());
        assertTrue(GgmlType.Q8_0.isQuantized());
        assertFalse(GgmlType.BF16.isQuantized());
        assertTrue(GgmlType.BF16.isFloat());
        assertFalse(GgmlType.I8.isFloat());
    }
}
