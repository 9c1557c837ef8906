package dev.varve.platform.vision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class CanvasPainterTest {
    /** Canvases with bars, without them, larger and smaller than the image. */
    @ParameterizedTest
    @CsvSource({
        "a-gradient.png, 320, 224",
        "b-alpha.png, 192, 160",
        "c-noise.png, 160, 64",
        "c-noise.png, 720, 240",
        "d-long.png, 32, 416",
        "e-photo.jpg, 320, 224",
        "f-grey.jpg, 96, 128",
        "f-grey.jpg, 384, 480",
        "g-palette.png, 288, 64"
    })
    void canvasHasTheBytesOfTheReference(String name, int width, int height) throws IOException {
        String canvas = name.substring(0, name.indexOf('.')) + "-" + width + "x" + height + ".png";
        RgbImage expected = VisionGolden.rgb(VisionGolden.folder().resolve("canvas/" + canvas));

        RgbImage painted = CanvasPainter.paint(decoded(name), new CanvasSize(width, height));

        assertArrayEquals(expected.rgb(), painted.rgb());
    }

    /** Decoders of JPEG differ, so these tests begin with the reference's pixels. */
    private static RgbImage decoded(String name) throws IOException {
        byte[] file = VisionGolden.image(name);
        if (!name.endsWith("jpg")) {
            return new ImageDecoder(ImageLimits.defaults()).decode(file);
        }
        ImageHeader header = ImageHeader.read(file);
        Path pixels = VisionGolden.folder().resolve("decoded/" + name + ".rgb");
        return new RgbImage(header.width(), header.height(), Files.readAllBytes(pixels));
    }

    @Test
    void imageOfTheCanvasSizeIsNotCopied() {
        RgbImage image = new RgbImage(32, 64, new byte[3 * 32 * 64]);

        assertSame(image, CanvasPainter.paint(image, new CanvasSize(32, 64)));
    }
}
