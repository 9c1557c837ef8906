package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.vision.EncodedImage;
import dev.varve.platform.vision.ImageGrid;
import dev.varve.platform.vision.ImageKey;
import dev.varve.platform.vision.RgbImage;

import org.junit.jupiter.api.Test;

class EncodedImageCacheTest {
    private static final int BYTES = 4 * Float.BYTES;

    private final EncodedImageCache cache = new EncodedImageCache(2 * BYTES);

    private static EncodedImage image(int colour) {
        return image(colour, BYTES / Float.BYTES);
    }

    private static EncodedImage image(int colour, int floats) {
        RgbImage canvas = new RgbImage(1, 1, new byte[] {(byte) colour, 0, 0});
        return new EncodedImage(
                new ImageGrid(1, 1), ImageKey.of(new byte[0], canvas), new float[floats]);
    }

    @Test
    void leastRecentlyUsedImageIsEvicted() {
        EncodedImage first = image(1);
        cache.add("1", first);
        cache.add("2", image(2));
        assertSame(first, cache.find("1").orElseThrow());

        cache.add("3", image(3));

        assertTrue(cache.find("2").isEmpty());
        assertSame(first, cache.find("1").orElseThrow());
        assertEquals(2 * BYTES, cache.bytes());
    }

    @Test
    void filesOfOneImageShareItsRows() {
        EncodedImage image = image(1);
        cache.add("png", image);
        cache.add("bmp", image(1));

        assertSame(image, cache.find("bmp").orElseThrow());
        assertSame(image, cache.find(image.key()).orElseThrow());
        assertEquals(BYTES, cache.bytes());
    }

    @Test
    void filesOfAnImageAreBounded() {
        for (int i = 0; i < 17; i++) {
            cache.add(Integer.toString(i), image(1));
        }

        assertTrue(cache.find("0").isEmpty());
        assertTrue(cache.find("16").isPresent());
    }

    @Test
    void imageLargerThanTheCacheEvictsNothing() {
        cache.add("1", image(1));

        cache.add("2", image(2, BYTES));

        assertTrue(cache.find("2").isEmpty());
        assertTrue(cache.find("1").isPresent());
    }
}
