package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

class QuantizerTest {
    @Test
    void eightBitBlockHoldsEachValueToHalfAStep() {
        float[] values = gaussian(96);

        ByteBuffer blocks =
                ByteBuffer.wrap(Quantizer.quantize(TensorType.Q8_0, values, 3, 32))
                        .order(ByteOrder.LITTLE_ENDIAN);

        for (int i = 0; i < values.length; i++) {
            float step = Float.float16ToFloat(blocks.getShort(i / 32 * 34));
            float value = step * blocks.get(i / 32 * 34 + 2 + i % 32);
            // Half a step, and the rounding of the step itself to 11 bits, which grows with the
            // value.
            assertEquals(values[i], value, step / 2 + Math.abs(values[i]) / 2048, "value " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TensorType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"I32", "I64"})
    void everyTypeHasItsDeclaredBytes(TensorType type) {
        assertEquals(
                2 * type.rowBytes(512), Quantizer.quantize(type, gaussian(1024), 2, 512).length);
    }

    @Test
    void tooFewValuesAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> Quantizer.quantize(TensorType.F16, new float[63], 2, 32));
    }

    private static float[] gaussian(int count) {
        SplittableRandom random = new SplittableRandom(11);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }
}
