package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.local.MatmulKernelProperties.WeightMemory;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules, against a table of experimental results. */
class MatmulKernelPropertiesTest {
    private static final int ALL = Integer.MAX_VALUE;

    @ParameterizedTest
    @CsvSource({
        "F32, HOST, 1, true, 2147483647, 1",
        "F16, HOST, 1, true, 2147483647, 1",
        "BF16, HOST, 1, true, 2147483647, 1",
        "IQ4_NL, HOST, 1, true, 2147483647, 1",
        "Q8_0, HOST, 2147483647, true, 2147483647, 1",
        "Q4_K, HOST, 2147483647, true, 2147483647, 1",
        "IQ2_XS, HOST, 7, true, 7, 1",
        "IQ4_XS, HOST, 7, true, 7, 1",
        "Q4_0, REPACKED, 2147483647, true, 2147483647, 1",
        "MXFP4, REPACKED, 2147483647, true, 2147483647, 1",
        "Q4_K, REPACKED, 3, true, 4, 16",
        "Q2_K, REPACKED, 3, true, 4, 16",
        "Q8_0, REPACKED, 1, true, 1, 16",
        "Q6_K, REPACKED, 1, true, 1, 16",
        "F16, TILED, 2147483647, true, 2147483647, 1",
        "Q6_K, TILED, 2147483647, true, 2147483647, 1",
        "Q4_0, SPECIAL, 1, false, 1, 16",
        "Q8_0, SPECIAL, 1, false, 1, 16",
        "Q4_0, DEVICE, 2147483647, true, 2147483647, 1",
        "F16, DEVICE, 1, false, 2147483647, 1"
    })
    void productsTreatColumnsByTypeAndDevice(
            GgmlType type, WeightMemory home, int most, boolean planes, int cheap, int group) {
        assertEquals(
                new MatmulKernelProperties(
                        most, planes, cheap, group, home == WeightMemory.TILED && type.isFloat()),
                MatmulKernelProperties.of(type, 1 << 20, TensorUse.MATMUL, home));
    }

    @ParameterizedTest
    @CsvSource({
        "F16, REPACKED, 100, 1",
        "Q4_K, REPACKED, 100, 1",
        "Q4_0, SPECIAL, 3, 3",
        "Q8_0, TILED, 100, 1",
        "F16, DEVICE, 5, 5"
    })
    void inseparableRowsAreSeparateProducts(
            GgmlType type, WeightMemory home, int rows, int products) {
        MatmulKernelProperties kernelProperties =
                MatmulKernelProperties.of(type, 1 << 20, TensorUse.MATMUL, home);

        assertEquals(products, kernelProperties.productsOf(rows));
        assertEquals(1, kernelProperties.productsOf(1));
    }

    @ParameterizedTest
    @CsvSource({"4194304, 1", "4194305, 2147483647"})
    void onlySmallFloatMatricesOfADeviceAreReadOncePerColumn(long bytes, int most) {
        assertEquals(
                most,
                MatmulKernelProperties.of(
                                GgmlType.F16, bytes, TensorUse.MATMUL, WeightMemory.DEVICE)
                        .most());
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW_LOOKUP", "COMPUTED_LOOKUP", "ELEMENTWISE", "CONVOLUTION"})
    void otherOperatorsDoNotDependOnColumns(TensorUse use) {
        for (WeightMemory home :
                new WeightMemory[] {
                    WeightMemory.HOST, WeightMemory.REPACKED, WeightMemory.DEVICE
                }) {
            assertEquals(
                    ALL,
                    MatmulKernelProperties.of(GgmlType.F32, 16, use, home).most(),
                    home.name());
        }
    }

    @ParameterizedTest
    @CsvSource({"Q4_K, REPACKED, 2147483647", "Q8_0, HOST, 2147483647", "IQ3_S, HOST, 7"})
    void expertsCountTheRowsRoutedToThem(GgmlType type, WeightMemory home, int most) {
        assertEquals(
                most, MatmulKernelProperties.of(type, 16, TensorUse.EXPERT_MATMUL, home).most());
    }
}
