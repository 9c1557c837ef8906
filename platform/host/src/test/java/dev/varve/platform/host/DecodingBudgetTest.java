package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.platform.vision.ImageHeader;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

class DecodingBudgetTest {
    /** Room for 4 units of 65,536 pixels. */
    private final DecodingBudget budget = new DecodingBudget(4L * (1 << 16) * 12);

    private static ImageHeader header(int width, int height) {
        byte[] png = new byte[24];
        ByteBuffer.wrap(png)
                .put(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'})
                .putInt(16, width)
                .putInt(20, height);
        return ImageHeader.read(png);
    }

    @Test
    void imageTakesRoomByItsPixels() {
        assertEquals(4, budget.free());
        assertEquals(3, budget.run(header(10, 10), budget::free));
        assertEquals(2, budget.run(header(256, 257), budget::free));
        assertEquals(4, budget.free());
    }

    @Test
    void imageThatNeedsMoreIsDecodedAlone() {
        assertEquals(0, budget.run(header(30_000, 30_000), budget::free));
    }

    @Test
    void roomIsReturnedAfterAFailure() {
        assertThrows(
                IllegalStateException.class,
                () ->
                        budget.run(
                                header(10, 10),
                                () -> {
                                    throw new IllegalStateException();
                                }));

        assertEquals(4, budget.free());
    }
}
