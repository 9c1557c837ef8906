package dev.varve.platform.vision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

class ImageKeyTest {
    private static final byte[] ENCODER = {1, 2};

    @Test
    void equalCanvasesShareAKey() {
        ImageKey one = ImageKey.of(ENCODER, new RgbImage(2, 1, new byte[6]));
        ImageKey same = ImageKey.of(ENCODER, new RgbImage(2, 1, new byte[6]));

        assertEquals(one, same);
        assertEquals(one.hashCode(), same.hashCode());
        assertArrayEquals(one.tokens(9), same.tokens(9));
    }

    @Test
    void pixelsSizeAndEncoderChangeTheKey() {
        ImageKey one = ImageKey.of(ENCODER, new RgbImage(2, 1, new byte[6]));

        List<ImageKey> others =
                List.of(
                        ImageKey.of(ENCODER, new RgbImage(2, 1, new byte[] {0, 0, 0, 0, 0, 1})),
                        ImageKey.of(ENCODER, new RgbImage(1, 2, new byte[6])),
                        ImageKey.of(new byte[] {1, 3}, new RgbImage(2, 1, new byte[6])));

        for (ImageKey other : others) {
            assertNotEquals(one, other);
            assertNotEquals(Arrays.toString(one.tokens(4)), Arrays.toString(other.tokens(4)));
        }
    }

    @Test
    void tokensAreNegativeAndDiffer() {
        int[] tokens = ImageKey.of(ENCODER, new RgbImage(1, 1, new byte[3])).tokens(100);

        assertTrue(Arrays.stream(tokens).allMatch(token -> token < 0));
        assertEquals(100, Arrays.stream(tokens).distinct().count());
    }
}
