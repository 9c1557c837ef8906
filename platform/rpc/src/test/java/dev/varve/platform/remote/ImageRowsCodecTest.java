package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.vision.ImagePixels;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

class ImageRowsCodecTest {
    private static final ImageRowsCodec CODEC = new ImageRowsCodec(3);
    private static final float[] VALUES = {1, 2, 3, 4, 5, 6};

    @Test
    void pixelsAndRowsArrive() {
        ImagePixels pixels = CODEC.pixels(CODEC.encode(new ImagePixels(1, 2, VALUES)));

        assertEquals(1, pixels.width());
        assertEquals(2, pixels.height());
        assertArrayEquals(VALUES, pixels.values());
        assertArrayEquals(VALUES, CODEC.rows(CODEC.encode(VALUES)));
    }

    @Test
    void valuesThatDoNotFitAreRefused() {
        assertRefused("a multiple of 3", () -> CODEC.rows(CODEC.encode(new float[] {1, 2, 3, 4})));
        assertRefused("values", () -> CODEC.rows(CODEC.encode(new float[0])));
        assertRefused("24 bytes", () -> CODEC.pixels(pixels(1, 2, 20)));
        assertRefused("width", () -> CODEC.pixels(pixels(0, 2, 0)));
        assertRefused("height", () -> CODEC.pixels(pixels(1 << 18, 1 << 18, 0)));
    }

    private static Message pixels(int width, int height, int bytes) {
        return new Message(
                MessageType.ENCODE_IMAGE,
                new FieldWriter().number(width).number(height).done(),
                ByteBuffer.allocate(bytes));
    }

    private static void assertRefused(String part, Runnable decoding) {
        WireException thrown = assertThrows(WireException.class, decoding::run);
        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
    }

    @Test
    void loadRequestArrives() {
        ImageEncoderLoadRequest request =
                new ImageEncoderLoadRequest(
                        new FileReference("mmproj.gguf", "a".repeat(64), Optional.of("b")),
                        new ShardLoadRequest.Device(
                                "cpu:0",
                                new dev.varve.api.backend.DeviceOptions(
                                        OptionalInt.of(2), OptionalInt.empty(), true)),
                        Duration.ofMillis(75));

        assertEquals(request, ImageEncoderLoadRequest.decode(request.encode()));
    }
}
