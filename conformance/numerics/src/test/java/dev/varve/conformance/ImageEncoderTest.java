package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.image.LocalImageEncoder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;

/** Rows of images compared with those of another program, see {@link VisionGolden}. */
class ImageEncoderTest {
    /**
     * The reference differs from itself by up to 4.8e-3 between kernels for other processors, and
     * by less than 1e-4 on the same ones.
     */
    private static final double BOUND = 6e-3;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a-gradient.png",
                "b-alpha.png",
                "c-noise.png",
                "d-long.png",
                "e-photo.jpg",
                "f-grey.jpg",
                "g-palette.png"
            })
    void rowsOfQwenAreThoseOfTheReference(String image) throws IOException {
        float[] expected = VisionGolden.rows("qwen3vl", image);

        try (LocalImageEncoder encoder = VisionGolden.encoder("qwen3vl")) {
            float[] rows = encoder.encode(VisionGolden.pixels(image, encoder.encoder().input()));

            assertEquals(expected.length, rows.length);
            double distance = VisionGolden.distance(expected, rows);
            assertTrue(distance <= BOUND, image + ": relative distance " + distance);
        }
    }

    /** The plan counts what an image takes, and not many times as much. */
    @Test
    void memoryOfAnImageIsEstimated() throws IOException {
        try (LocalImageEncoder encoder = VisionGolden.encoder("qwen3vl")) {
            float[] rows =
                    encoder.encode(
                            VisionGolden.pixels("a-gradient.png", encoder.encoder().input()));

            int tokens = rows.length / encoder.encoder().width();
            long estimate = encoder.encoder().computeBytes(tokens);
            long taken = encoder.computeBytes();
            assertTrue(taken <= estimate, taken + " bytes, estimated " + estimate);
            assertTrue(estimate <= 4 * taken, taken + " bytes, estimated " + estimate);
        }
    }
}
