package dev.varve.platform.vision;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import javax.imageio.ImageIO;

/** Expected sizes and pixels of another program, in {@code golden/vision}. */
final class VisionGolden {
    private static final Pattern NUMBERS = Pattern.compile("-?\\d+");

    private VisionGolden() {}

    static Path folder() {
        Path folder = Path.of(System.getProperty("varve.test.shared", "")).resolve("golden/vision");
        assumeTrue(Files.isDirectory(folder), "no images at varve.test.shared: " + folder);
        return folder;
    }

    static byte[] image(String name) throws IOException {
        return Files.readAllBytes(folder().resolve("images").resolve(name));
    }

    /** The pixels of a canvas or image that needs no conversion of colours. */
    static RgbImage rgb(Path png) throws IOException {
        BufferedImage image = ImageIO.read(png.toFile());
        byte[] rgb = new byte[3 * image.getWidth() * image.getHeight()];
        int at = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                int pixel = image.getRGB(x, y);
                rgb[at++] = (byte) (pixel >> 16);
                rgb[at++] = (byte) (pixel >> 8);
                rgb[at++] = (byte) pixel;
            }
        }
        return new RgbImage(image.getWidth(), image.getHeight(), rgb);
    }

    /** One line of {@code sizes.json}. */
    record Size(String projector, int[] limits, int width, int height, int[] canvas, int tokens) {
        @Override
        public String toString() {
            return projector + " " + width + "x" + height + " " + Arrays.toString(limits);
        }
    }

    static List<Size> sizes() throws IOException {
        List<Size> sizes = new ArrayList<>();
        for (String line : Files.readAllLines(folder().resolve("sizes.json"))) {
            String projector = line.replaceAll(".*\"projector\":\"([^\"]*)\".*", "$1");
            boolean unlimited = line.contains("\"limits\":null");
            int[] numbers =
                    NUMBERS.matcher(line.substring(line.indexOf("\"limits\"")))
                            .results()
                            .map(MatchResult::group)
                            .mapToInt(Integer::parseInt)
                            .toArray();
            int at = unlimited ? 0 : 2;
            sizes.add(
                    new Size(
                            projector,
                            Arrays.copyOf(numbers, at),
                            numbers[at],
                            numbers[at + 1],
                            Arrays.copyOfRange(numbers, at + 2, at + 4),
                            numbers[at + 6]));
        }
        return sizes;
    }
}
