package dev.varve.platform.vision;

import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Iterator;
import java.util.Locale;

import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.MemoryCacheImageInputStream;

/**
 * Decodes image files with the readers of the JDK. Alpha channels are dropped, grey samples are
 * copied to all three channels, 16-bit samples are cut to their upper byte, and colour profiles are
 * ignored: models were trained with the stored samples. Stateless and thread-safe.
 */
public final class ImageDecoder {
    private final ImageLimits limits;

    /** Creates a decoder with limits. */
    public ImageDecoder(ImageLimits limits) {
        this.limits = limits;
    }

    /**
     * Reads the header of a file and checks it against the limits.
     *
     * @throws InvalidImageException if the file is no supported image or exceeds a limit
     */
    public ImageHeader header(byte[] file) {
        limits.requireBytes(file.length);
        ImageHeader header = ImageHeader.read(file);
        limits.requireSize(header);
        return header;
    }

    /**
     * Decodes a file, after the checks of {@link #header}.
     *
     * @throws InvalidImageException also if the file is broken behind its header
     */
    public RgbImage decode(byte[] file) {
        ImageHeader header = header(file);
        if (header.format() == ImageFormat.GIF) {
            GifFrame frame = GifFrame.read(file, header);
            RgbImage pixels = read(header.format(), file, frame.width(), frame.height());
            return frame.place(pixels, header);
        }
        requireWhole(header.format(), file);
        boolean turned = header.orientation().isTurned();
        int width = turned ? header.height() : header.width();
        int height = turned ? header.width() : header.height();
        return header.orientation().apply(read(header.format(), file, width, height));
    }

    /** Checks what the readers of the JDK do not. */
    private static void requireWhole(ImageFormat format, byte[] file) {
        if (format == ImageFormat.JPEG) {
            JpegEnd.require(file);
        } else if (format == ImageFormat.PNG) {
            PngChunks.require(file);
        }
    }

    /**
     * Decodes stored pixels of the size that the header has; a reader that disagrees is stopped.
     */
    private static RgbImage read(ImageFormat format, byte[] file, int width, int height) {
        ImageReader reader = reader(format);
        // A memory stream: the other kind writes files.
        try (MemoryCacheImageInputStream stream =
                new MemoryCacheImageInputStream(new ByteArrayInputStream(file))) {
            reader.setInput(stream, true, true);
            if (reader.getWidth(0) != width || reader.getHeight(0) != height) {
                throw new IOException("the frame has another size than the header");
            }
            reader.addIIOReadWarningListener(ImageDecoder::requireComplete);
            return pixels(reader.read(0));
        } catch (InvalidImageException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // Readers of the JDK throw many kinds of exceptions on broken files.
            throw new InvalidImageException("the " + format.mediaType() + " file is broken", e);
        } finally {
            reader.dispose();
        }
    }

    /**
     * The reader of JPEG files warns about missing data, and replaces it by grey. Its other
     * warnings are about harmless additions.
     */
    private static void requireComplete(ImageReader reader, String warning) {
        String text = warning.toLowerCase(Locale.ROOT);
        if (text.contains("premature end") || text.contains("bad huffman")) {
            throw new InvalidImageException("the image data ends too early");
        }
    }

    private static ImageReader reader(ImageFormat format) {
        Iterator<ImageReader> readers =
                ImageIO.getImageReadersByFormatName(format.name().toLowerCase(Locale.ROOT));
        if (!readers.hasNext()) {
            throw new InvalidImageException(
                    format.mediaType() + " is not supported by this Java runtime");
        }
        return readers.next();
    }

    private static RgbImage pixels(BufferedImage image) {
        int width = image.getWidth();
        int height = image.getHeight();
        byte[] rgb = new byte[Math.multiplyExact(3, Math.multiplyExact(width, height))];
        // getRGB of a grey image or of one with a profile would convert the samples.
        if (image.getColorModel() instanceof ComponentColorModel) {
            copySamples(image.getRaster(), rgb);
        } else {
            copyPalette(image, rgb);
        }
        return new RgbImage(width, height, rgb);
    }

    private static void copySamples(Raster raster, byte[] rgb) {
        int width = raster.getWidth();
        int bands = raster.getNumBands();
        int shift = raster.getDataBuffer().getDataType() == DataBuffer.TYPE_USHORT ? 8 : 0;
        int second = bands >= 3 ? 1 : 0;
        int third = bands >= 3 ? 2 : 0;
        int[] row = new int[width * bands];
        int at = 0;
        for (int y = 0; y < raster.getHeight(); y++) {
            raster.getPixels(0, y, width, 1, row);
            for (int x = 0; x < row.length; x += bands) {
                rgb[at++] = (byte) (row[x] >> shift);
                rgb[at++] = (byte) (row[x + second] >> shift);
                rgb[at++] = (byte) (row[x + third] >> shift);
            }
        }
    }

    private static void copyPalette(BufferedImage image, byte[] rgb) {
        int[] row = new int[image.getWidth()];
        int at = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            image.getRGB(0, y, row.length, 1, row, 0, row.length);
            for (int pixel : row) {
                rgb[at++] = (byte) (pixel >> 16);
                rgb[at++] = (byte) (pixel >> 8);
                rgb[at++] = (byte) pixel;
            }
        }
    }
}
