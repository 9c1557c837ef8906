package dev.varve.platform.vision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Random;

import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

class ImageDecoderTest {
    private final ImageDecoder decoder = new ImageDecoder(ImageLimits.defaults());

    private static final int[] COLOURS = {
        0x102030, 0xff0000, 0x00ff00, 0x0000ff, 0xffffff, 0x7f0180
    };

    /** Three columns and two rows of different colours. */
    private static BufferedImage drawing(int type) {
        BufferedImage image = new BufferedImage(3, 2, type);
        for (int i = 0; i < COLOURS.length; i++) {
            image.setRGB(i % 3, i / 3, 0xff000000 | COLOURS[i]);
        }
        return image;
    }

    /** The same with a palette: the writer of GIF files would choose other colours. */
    private static BufferedImage palette() {
        IndexColorModel colours =
                new IndexColorModel(3, COLOURS.length, COLOURS, 0, false, -1, DataBuffer.TYPE_BYTE);
        BufferedImage image = new BufferedImage(3, 2, BufferedImage.TYPE_BYTE_INDEXED, colours);
        for (int i = 0; i < COLOURS.length; i++) {
            image.getRaster().setSample(i % 3, i / 3, 0, i);
        }
        return image;
    }

    private static byte[] file(BufferedImage image, String format) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageWriter writer = ImageIO.getImageWritersByFormatName(format).next();
        ImageWriteParam options = writer.getDefaultWriteParam();
        if (format.equals("gif")) {
            // The writer's interlaced files of two rows lack the second one.
            options.setProgressiveMode(ImageWriteParam.MODE_DISABLED);
        }
        try (ImageOutputStream stream = new MemoryCacheImageOutputStream(out)) {
            writer.setOutput(stream);
            writer.write(null, new IIOImage(image, null, null), options);
        } finally {
            writer.dispose();
        }
        return out.toByteArray();
    }

    private static byte[] rgb(int... colours) {
        byte[] rgb = new byte[3 * colours.length];
        for (int i = 0; i < colours.length; i++) {
            rgb[3 * i] = (byte) (colours[i] >> 16);
            rgb[3 * i + 1] = (byte) (colours[i] >> 8);
            rgb[3 * i + 2] = (byte) colours[i];
        }
        return rgb;
    }

    @ParameterizedTest
    @ValueSource(strings = {"png", "bmp", "gif"})
    void formatsWithoutLossKeepTheColours(String format) throws IOException {
        BufferedImage drawing =
                format.equals("gif") ? palette() : drawing(BufferedImage.TYPE_INT_RGB);

        RgbImage image = decoder.decode(file(drawing, format));

        assertEquals(3, image.width());
        assertArrayEquals(rgb(COLOURS), image.rgb());
    }

    @Test
    void alphaIsDropped() throws IOException {
        BufferedImage clear = new BufferedImage(1, 1, BufferedImage.TYPE_INT_ARGB);
        clear.setRGB(0, 0, 0x00123456);

        assertArrayEquals(rgb(0x123456), decoder.decode(file(clear, "png")).rgb());
    }

    @Test
    void greySamplesAreNotConverted() throws IOException {
        BufferedImage grey = new BufferedImage(1, 1, BufferedImage.TYPE_BYTE_GRAY);
        grey.getRaster().setSample(0, 0, 0, 100);

        assertArrayEquals(rgb(0x646464), decoder.decode(file(grey, "png")).rgb());
    }

    @Test
    void wideSamplesKeepTheirUpperByte() throws IOException {
        BufferedImage grey = new BufferedImage(1, 1, BufferedImage.TYPE_USHORT_GRAY);
        grey.getRaster().setSample(0, 0, 0, 0x64ff);

        assertArrayEquals(rgb(0x646464), decoder.decode(file(grey, "png")).rgb());
    }

    /** Decoders round differently, by at most 3 in a colour image and by 1 in a grey one. */
    @ParameterizedTest
    @CsvSource({"e-photo.jpg, 3", "f-grey.jpg, 1"})
    void jpegIsCloseToTheReference(String name, int bound) throws IOException {
        byte[] expected =
                Files.readAllBytes(VisionGolden.folder().resolve("decoded/" + name + ".rgb"));

        byte[] found = decoder.decode(VisionGolden.image(name)).rgb();

        int most = 0;
        for (int i = 0; i < expected.length; i++) {
            most = Math.max(most, Math.abs((expected[i] & 0xff) - (found[i] & 0xff)));
        }
        assertEquals(expected.length, found.length);
        assertTrue(most <= bound, "difference " + most);
    }

    /** The stored pixels of a JPEG that shows black on the left and white on the right. */
    private static byte[] oriented(int orientation) throws IOException {
        BufferedImage image = new BufferedImage(32, 16, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 16 * 16; i++) {
            image.setRGB(16 + i % 16, i / 16, 0xffffff);
        }
        byte[] jpeg = file(image, "jpg");
        byte[] exif = {
            (byte) 0xff,
            (byte) 0xe1,
            0,
            34,
            'E',
            'x',
            'i',
            'f',
            0,
            0,
            'M',
            'M',
            0,
            42,
            0,
            0,
            0,
            8,
            0,
            1,
            1,
            0x12,
            0,
            3,
            0,
            0,
            0,
            1,
            0,
            (byte) orientation,
            0,
            0,
            0,
            0,
            0,
            0
        };
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(jpeg, 0, 2);
        out.write(exif);
        out.write(jpeg, 2, jpeg.length - 2);
        return out.toByteArray();
    }

    /** The white half is on the given side of the upright image. */
    @ParameterizedTest
    @CsvSource({
        "1, 32, right", "2, 32, left", "3, 32, left", "4, 32, right",
        "5, 16, bottom", "6, 16, bottom", "7, 16, top", "8, 16, top"
    })
    void orientationIsApplied(int orientation, int width, String white) throws IOException {
        byte[] file = oriented(orientation);

        RgbImage image = decoder.decode(file);

        assertEquals(width, image.width());
        assertEquals(width, ImageHeader.read(file).width());
        int x = white.equals("left") ? 2 : image.width() - 3;
        int y = white.equals("top") ? 2 : image.height() - 3;
        int opposite = 3 * ((image.height() - 1 - y) * width + image.width() - 1 - x);
        assertTrue((image.rgb()[3 * (y * width + x)] & 0xff) > 250, "white " + white);
        assertTrue((image.rgb()[opposite] & 0xff) < 5, "black opposite " + white);
    }

    @Test
    void orientationsThatMirrorDifferFromThoseThatDoNot() {
        RgbImage stored = new RgbImage(2, 2, rgb(1, 2, 3, 4));

        int[][] expected = {
            {1, 2, 3, 4}, {2, 1, 4, 3}, {4, 3, 2, 1}, {3, 4, 1, 2},
            {1, 3, 2, 4}, {3, 1, 4, 2}, {4, 2, 3, 1}, {2, 4, 1, 3}
        };
        for (int value = 1; value <= 8; value++) {
            assertArrayEquals(
                    rgb(expected[value - 1]),
                    Orientation.of(value).apply(stored).rgb(),
                    "orientation " + value);
        }
    }

    @Test
    void frameOfAGifIsPlacedOnItsScreen() throws IOException {
        byte[] file = file(palette(), "gif");
        file[6] = 5;
        file[8] = 4;
        int descriptor = imageDescriptor(file);
        file[descriptor + 1] = 1;
        file[descriptor + 3] = 2;

        RgbImage image = decoder.decode(file);

        assertEquals(5, image.width());
        assertEquals(4, image.height());
        assertArrayEquals(
                rgb(0, COLOURS[0], COLOURS[1], COLOURS[2], 0),
                Arrays.copyOfRange(image.rgb(), 3 * 10, 3 * 15));
    }

    private static int imageDescriptor(byte[] gif) {
        int at = 13 + (3 << (gif[10] & 7) + 1);
        while (gif[at] == 0x21) {
            at += 2;
            while (gif[at] != 0) {
                at += 1 + (gif[at] & 0xff);
            }
            at++;
        }
        return at;
    }

    @Test
    void frameBeyondTheScreenIsRefused() throws IOException {
        byte[] file = file(palette(), "gif");
        file[6] = 2;

        assertMessage("exceeds its screen of 2x2", file);
    }

    @Test
    void pixelsAreCountedBeforeAnythingIsDecoded() throws IOException {
        byte[] file = file(drawing(BufferedImage.TYPE_INT_RGB), "png");
        file[18] = (byte) 0x70;
        file[22] = (byte) 0x70;

        assertMessage("28675x28674 pixels; at most 50000000", file);
    }

    @Test
    void longSidesAndFlatImagesAreRefused() throws IOException {
        byte[] file = file(drawing(BufferedImage.TYPE_INT_RGB), "png");
        file[17] = 1;
        assertMessage("65539x2 pixels; a side may have at most 32768", file);

        file[17] = 0;
        file[18] = 2;
        assertMessage("at most 200 times the shorter one", file);
    }

    @Test
    void largeFilesAreRefused() {
        ImageDecoder small = new ImageDecoder(new ImageLimits(10, 100, 100, 10));

        InvalidImageException thrown =
                assertThrows(InvalidImageException.class, () -> small.decode(new byte[11]));

        assertEquals("the file has 11 bytes; at most 10 are allowed", thrown.getMessage());
    }

    @Test
    void otherContentsAreNamed() {
        assertMessage("not an image", "hello".getBytes(StandardCharsets.US_ASCII));
        assertMessage("not an image", new byte[0]);
        assertMessage(
                "image/webp is not supported",
                "RIFF0000WEBPVP8 ".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void cmykIsNamed() throws IOException {
        byte[] jpeg = oriented(1);
        for (int i = 0; i < jpeg.length - 9; i++) {
            if ((jpeg[i] & 0xff) == 0xff && (jpeg[i + 1] & 0xff) == 0xc0) {
                jpeg[i + 9] = 4;
            }
        }

        assertMessage("CMYK", jpeg);
    }

    /** Every prefix, and thousands of changed files: no exception but the project's own. */
    @ParameterizedTest
    @ValueSource(strings = {"png", "jpg", "gif", "bmp"})
    void brokenFilesAreInvalidImages(String format) throws IOException {
        byte[] file = file(drawing(BufferedImage.TYPE_INT_RGB), format);
        for (int length = 0; length < file.length; length++) {
            decodeOrRefuse(Arrays.copyOf(file, length));
        }
        Random random = new Random(7);
        for (int i = 0; i < 1000; i++) {
            byte[] changed = file.clone();
            for (int change = 0; change < 3; change++) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            decodeOrRefuse(changed);
        }
    }

    private void decodeOrRefuse(byte[] file) {
        try {
            RgbImage image =
                    new ImageDecoder(new ImageLimits(10_000, 10_000, 1000, 200)).decode(file);
            assertTrue(image.width() > 0);
        } catch (InvalidImageException e) {
            assertTrue(!e.getMessage().isEmpty());
        }
    }

    private void assertMessage(String part, byte[] file) {
        InvalidImageException thrown =
                assertThrows(InvalidImageException.class, () -> decoder.decode(file));
        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
    }
}
