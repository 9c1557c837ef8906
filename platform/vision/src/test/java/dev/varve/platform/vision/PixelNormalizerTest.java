package dev.varve.platform.vision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.varve.api.vision.ImageInput;
import dev.varve.api.vision.ImageInput.ChannelValues;

import org.junit.jupiter.api.Test;

class PixelNormalizerTest {
    @Test
    void channelsAreSeparatedAndScaled() {
        RgbImage canvas = new RgbImage(2, 1, new byte[] {0, (byte) 255, 51, (byte) 204, 0, 102});
        ImageInput input =
                new ImageInput(
                        32, 1, 2, new ChannelValues(0.5f, 0, 0.2f), new ChannelValues(0.5f, 1, 2));

        float[] values = PixelNormalizer.normalize(canvas, input).values();

        float[] expected = {
            -1, (204 / 255f - 0.5f) / 0.5f, 1, 0, (51 / 255f - 0.2f) / 2, (102 / 255f - 0.2f) / 2
        };
        assertArrayEquals(expected, values);
    }
}
