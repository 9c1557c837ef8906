package dev.varve.platform.vision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

import javax.imageio.ImageIO;

/** Files that are cut, lie about their size or type, or expand to more than they should. */
class SpoiltImagesTest {
    private static final int WIDTH = 64;
    private static final int HEIGHT = 48;
    private static final int CUTS = 450;

    private static final int INFLATED = 40 << 20;

    /** Far below the pixels and texts that the bombs promise. */
    private static final long MOST_BYTES = 8 << 20;

    private final ImageDecoder decoder = new ImageDecoder(ImageLimits.defaults());

    /** A file, and how it was spoilt. */
    private record Spoilt(String name, byte[] file) {}

    private static byte[] file(String format) throws IOException {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Random random = new Random(3);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            image.setRGB(i % WIDTH, i / WIDTH, random.nextInt(1 << 24));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(image, format, out);
        return out.toByteArray();
    }

    private static List<Spoilt> cuts(String format, byte[] file, int last) {
        List<Spoilt> cut = new ArrayList<>();
        for (int i = 0; i < CUTS; i++) {
            int length = (int) ((long) i * last / CUTS);
            cut.add(new Spoilt(format + " cut at " + length, Arrays.copyOf(file, length)));
        }
        return cut;
    }

    /** Sizes of a header that its data does not fill, or that no image may have. */
    private static List<Spoilt> sizes(String format, byte[] file, int at, int bytes) {
        List<Spoilt> spoilt = new ArrayList<>();
        for (int other : new int[] {0, 200, 1_000, 10_000, 32_767, 65_535, Integer.MIN_VALUE}) {
            for (int side = 0; side < 2; side++) {
                byte[] changed = file.clone();
                ByteBuffer header =
                        ByteBuffer.wrap(changed)
                                .order(
                                        format.equals("png") || format.equals("jpeg")
                                                ? ByteOrder.BIG_ENDIAN
                                                : ByteOrder.LITTLE_ENDIAN);
                if (bytes == 2) {
                    header.putShort(at + 2 * side, (short) other);
                } else {
                    header.putInt(at + 4 * side, other);
                }
                spoilt.add(new Spoilt(format + " size " + other + ", side " + side, changed));
                if (format.equals("png")) {
                    byte[] summed = changed.clone();
                    CRC32 sum = new CRC32();
                    sum.update(summed, 12, 17);
                    ByteBuffer.wrap(summed).putInt(29, (int) sum.getValue());
                    spoilt.add(new Spoilt("png size with checksum " + other, summed));
                }
            }
        }
        return spoilt;
    }

    private static int frame(byte[] jpeg) {
        int at = 0;
        while (jpeg[at] != (byte) 0xff || jpeg[at + 1] != (byte) 0xc0) {
            at++;
        }
        return at + 5;
    }

    /** The beginnings of other formats before the rest of a file. */
    private static List<Spoilt> types(String format, byte[] file) {
        List<Spoilt> spoilt = new ArrayList<>();
        for (String magic :
                List.of(
                        "\u0089PNG\r\n\u001a\n",
                        "\u00ff\u00d8\u00ff",
                        "GIF87a",
                        "GIF89a",
                        "BM",
                        "RIFF\0\0\0\0WEBPVP8 ",
                        "II*\0",
                        "%PDF-1.7",
                        "<svg xmlns='http://www.w3.org/2000/svg'/>",
                        "PK\u0003\u0004")) {
            byte[] other = magic.getBytes(StandardCharsets.ISO_8859_1);
            byte[] changed = file.clone();
            System.arraycopy(other, 0, changed, 0, other.length);
            boolean same = Arrays.equals(changed, file) || format.equals("gif") && isGif(magic);
            if (!same) {
                spoilt.add(new Spoilt(format + " as " + magic.substring(0, 2), changed));
            }
        }
        return spoilt;
    }

    private static boolean isGif(String magic) {
        return magic.startsWith("GIF8");
    }

    /** Some 180 kB that inflate to 40 MB. */
    private static byte[] deflated() {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        deflater.setInput(new byte[INFLATED]);
        deflater.finish();
        byte[] data = new byte[1 << 20];
        int length = deflater.deflate(data);
        deflater.end();
        return Arrays.copyOf(data, length);
    }

    /** Such data in all parts of an image, whose pixels end too early. */
    private static byte[] bomb(int width, int height, byte[] deflated) {
        ByteBuffer header = ByteBuffer.allocate(13).putInt(width).putInt(height);
        header.put(new byte[] {8, 2, 0, 0, 0});
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("\u0089PNG\r\n\u001a\n".getBytes(StandardCharsets.ISO_8859_1));
        out.writeBytes(chunk("IHDR", header.array()));
        out.writeBytes(chunk("iCCP", withName(deflated)));
        out.writeBytes(chunk("zTXt", withName(deflated)));
        out.writeBytes(chunk("IDAT", Arrays.copyOf(deflated, 100)));
        out.writeBytes(chunk("IEND", new byte[0]));
        return out.toByteArray();
    }

    private static byte[] withName(byte[] data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {'x', 0, 0});
        out.writeBytes(data);
        return out.toByteArray();
    }

    private static byte[] chunk(String type, byte[] data) {
        byte[] name = type.getBytes(StandardCharsets.ISO_8859_1);
        CRC32 sum = new CRC32();
        sum.update(name);
        sum.update(data);
        return ByteBuffer.allocate(data.length + 12)
                .putInt(data.length)
                .put(name)
                .put(data)
                .putInt((int) sum.getValue())
                .array();
    }

    private static List<Spoilt> spoilt() throws IOException {
        byte[] png = file("png");
        byte[] jpeg = file("jpeg");
        byte[] gif = file("gif");
        byte[] bmp = file("bmp");
        List<Spoilt> all = new ArrayList<>();
        all.addAll(cuts("png", png, png.length));
        byte[] changed = png.clone();
        changed[png.length / 2] ^= 1;
        all.add(new Spoilt("png with a changed byte of its data", changed));
        all.addAll(cuts("jpeg", jpeg, jpeg.length));
        all.addAll(cuts("gif", gif, gif.length));
        all.addAll(cuts("bmp", bmp, bmp.length));
        all.addAll(sizes("png", png, 16, 4));
        all.addAll(sizes("jpeg", jpeg, frame(jpeg), 2));
        all.addAll(sizes("bmp", bmp, 18, 4));
        all.addAll(sizes("gif", gif, gifFrame(gif), 2));
        for (String format : List.of("png", "jpeg", "gif", "bmp")) {
            all.addAll(types(format, file(format)));
        }
        byte[] deflated = deflated();
        for (int side = 8_000; side <= 40_000; side += 1_000) {
            all.add(new Spoilt("bomb of side " + side, bomb(side, side, deflated)));
        }
        all.add(new Spoilt("bomb in chunks", bomb(700, 200, deflated)));
        Random random = new Random(5);
        for (int i = all.size(); i < 2_000; i++) {
            byte[] noise = new byte[random.nextInt(300)];
            random.nextBytes(noise);
            all.add(new Spoilt("noise " + i, noise));
        }
        return all;
    }

    /** Position of the width in the descriptor of the first frame. */
    private static int gifFrame(byte[] gif) {
        int at = 13 + (3 << (gif[10] & 7) + 1);
        while (gif[at] == 0x21) {
            at += 2;
            while (gif[at] != 0) {
                at += 1 + (gif[at] & 0xff);
            }
            at++;
        }
        return at + 5;
    }

    @Test
    void spoiltFilesAreInvalidImages() throws IOException {
        List<Spoilt> all = spoilt();
        List<String> accepted = new ArrayList<>();
        for (Spoilt each : all) {
            try {
                decoder.decode(each.file());
                accepted.add(each.name());
            } catch (InvalidImageException e) {
                assertTrue(!e.getMessage().isEmpty());
            }
        }

        assertEquals(List.of(), accepted);
        assertTrue(all.size() >= 2_000, "files: " + all.size());
    }

    /** A header is checked before anything is allocated for its pixels or its chunks. */
    @Test
    void spoiltFilesTakeLittleMemory() throws IOException {
        com.sun.management.ThreadMXBean memory =
                (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] deflated = deflated();
        for (byte[] bomb :
                List.of(
                        bomb(40_000, 40_000, deflated),
                        bomb(32_768, 32_768, deflated),
                        bomb(700, 200, deflated))) {
            long before = memory.getCurrentThreadAllocatedBytes();
            assertThrows(InvalidImageException.class, () -> decoder.decode(bomb));
            long taken = memory.getCurrentThreadAllocatedBytes() - before;

            assertTrue(taken < MOST_BYTES, taken + " bytes");
        }
    }
}
