package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.vision.ImagePixels;
import dev.varve.platform.shard.image.EncoderPace;
import dev.varve.platform.shard.image.LocalImageEncoder;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;

/** Rows of images compared with those of another program, see {@link VisionGolden}. */
class ImageEncoderTest {
    /** Part of the reference's distance from itself, by which another order of sums exceeds it. */
    private static final double REST = 0.1;

    /** Distance of encoders without attention, from another order of sums. */
    private static final double LEAST = 5e-5;

    /** Distance with sums of attention in F16. */
    private static final double NEAR = 1e-3;

    /** The same for images of 630 patches and more, which are as many terms of a sum. */
    private static final double NEAR_OF_HUNDREDS = 1.6e-3;

    private static final Duration LONG = Duration.ofHours(1);

    static List<Arguments> images() {
        List<Arguments> all = new ArrayList<>();
        all.add(Arguments.of("gemma4v-clip", "f-grey.jpg"));
        for (String projector : List.of("qwen3vl", "gemma4v-std", "gemma4uv")) {
            for (String image :
                    List.of(
                            "a-gradient.png",
                            "b-alpha.png",
                            "c-noise.png",
                            "d-long.png",
                            "e-photo.jpg",
                            "f-grey.jpg",
                            "g-palette.png")) {
                all.add(Arguments.of(projector, image));
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("images")
    void rowsAreThoseOfTheReference(String projector, String image) throws IOException {
        float[] expected = VisionGolden.rows(projector, image);

        try (LocalImageEncoder encoder = VisionGolden.encoder(projector)) {
            float[] rows = encoder.encode(VisionGolden.pixels(image, encoder.encoder().input()));

            assertEquals(expected.length, rows.length);
            double distance = VisionGolden.distance(expected, rows);
            double bound = bound(projector, image);
            assertTrue(distance <= bound, image + ": relative distance " + distance);
        }
    }

    /**
     * The reference differs from itself by up to 4.8e-3 between kernels for other processors, and
     * by less than 1e-4 on the same ones.
     */
    private static double bound(String projector, String image) throws IOException {
        return Math.max(LEAST, VisionGolden.spread(projector, image) * (1 + REST));
    }

    /**
     * On AVX-512 the reference computes the attention of these encoders, whose heads have 24
     * elements, with sums in F16, as its distance from itself shows; with AVX2 it has sums in F32.
     * Kernels for fewer than 64 queries have sums in F16 on all processors. What remains is the
     * order of sums in the products of queries and keys, whose last bits decide how some values are
     * rounded.
     */
    @ParameterizedTest
    @MethodSource("images")
    void rowsOfTheKernelOfTheReferenceAreNearer(String projector, String image) throws IOException {
        float[] expected = VisionGolden.rows(projector, image);
        double bound = projector.startsWith("gemma4v-") ? NEAR_OF_HUNDREDS : NEAR;

        try (LocalImageEncoder encoder =
                VisionGolden.encoder(projector, new EncoderPace(1, LONG))) {
            float[] rows = encoder.encode(VisionGolden.pixels(image, encoder.encoder().input()));

            double distance = VisionGolden.distance(expected, rows);
            assertTrue(distance <= bound, image + ": relative distance " + distance);
        }
    }

    /**
     * Parts and tiles follow from the image alone, and time decides when the device is released.
     */
    @ParameterizedTest
    @ValueSource(strings = {"qwen3vl", "gemma4v-std", "gemma4v-clip"})
    @ByDay({1, 3})
    void deviceIsReleasedBetweenPartsOfAnImage(String projector) throws IOException {
        String image = projector.equals("gemma4v-clip") ? "f-grey.jpg" : "a-gradient.png";
        try (LocalImageEncoder often = VisionGolden.encoder(projector, pace(Duration.ZERO));
                LocalImageEncoder once = VisionGolden.encoder(projector, pace(LONG))) {
            ImagePixels pixels = VisionGolden.pixels(image, often.encoder().input());

            float[] rows = often.encode(pixels);

            assertArrayEquals(once.encode(pixels), rows);
            assertTrue(often.turns() > 20, often.turns() + " turns");
            assertEquals(1, once.turns());
            double distance = VisionGolden.distance(VisionGolden.rows(projector, image), rows);
            assertTrue(distance <= bound(projector, image), "relative distance " + distance);
        }
    }

    private static EncoderPace pace(Duration turn) {
        return new EncoderPace(1, turn);
    }

    @Test
    void encodingEndsWhenItIsCancelled() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (LocalImageEncoder encoder = VisionGolden.encoder("qwen3vl", pace(Duration.ZERO))) {
            ImagePixels pixels = VisionGolden.pixels("a-gradient.png", encoder.encoder().input());

            assertThrows(
                    CancellationException.class,
                    () -> encoder.encode(pixels, () -> asked.incrementAndGet() == 5));

            assertEquals(3, encoder.turns());
            assertEquals(encoder.encode(pixels).length, encoder.encode(pixels).length);
        }
    }

    @Test
    void closedEncoderSaysSo() throws IOException {
        LocalImageEncoder encoder = VisionGolden.encoder("qwen3vl");
        ImagePixels pixels = VisionGolden.pixels("a-gradient.png", encoder.encoder().input());
        encoder.close();

        VarveException thrown = assertThrows(VarveException.class, () -> encoder.encode(pixels));

        assertEquals(VarveException.Kind.UNAVAILABLE, thrown.kind());
    }

    /** The plan counts what an image takes, and not many times as much. */
    @ParameterizedTest
    @ValueSource(strings = {"qwen3vl", "gemma4v-std", "gemma4v-clip", "gemma4uv"})
    void memoryOfAnImageIsEstimated(String projector) throws IOException {
        try (LocalImageEncoder encoder = VisionGolden.encoder(projector)) {
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
