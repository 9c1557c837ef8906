package dev.varve.conformance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.vision.ImageEncoderProvider;
import dev.varve.api.vision.ImageInput;
import dev.varve.api.vision.ImagePixels;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.image.EncoderPace;
import dev.varve.platform.shard.image.LocalImageEncoder;
import dev.varve.platform.vision.CanvasPainter;
import dev.varve.platform.vision.CanvasRule;
import dev.varve.platform.vision.ImageDecoder;
import dev.varve.platform.vision.ImageHeader;
import dev.varve.platform.vision.ImageLimits;
import dev.varve.platform.vision.PixelNormalizer;
import dev.varve.platform.vision.RgbImage;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ServiceLoader;

/** Random image encoders, images and the rows that another program computes from them. */
final class VisionGolden {
    private VisionGolden() {}

    static Path folder() {
        Path folder = Path.of(System.getProperty("varve.test.shared", "")).resolve("golden/vision");
        assumeTrue(Files.isDirectory(folder), "no images at varve.test.shared: " + folder);
        return folder;
    }

    static Path model(String name) {
        return folder().resolve("models").resolve(name + ".gguf");
    }

    /** The provider on the class path for a type of projector. */
    static ImageEncoderProvider provider(String projectorType) {
        return ServiceLoader.load(ImageEncoderProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.projectorTypes().contains(projectorType))
                .findFirst()
                .orElseThrow();
    }

    /** An image as an encoder reads it. */
    static ImagePixels pixels(String image, ImageInput input) throws IOException {
        RgbImage decoded = decoded(image);
        CanvasRule rule = CanvasRule.of(input);
        RgbImage canvas =
                CanvasPainter.paint(decoded, rule.canvas(decoded.width(), decoded.height()));
        return PixelNormalizer.normalize(canvas, input);
    }

    /** Decoders of JPEG differ, so those pixels come from the reference. */
    private static RgbImage decoded(String name) throws IOException {
        byte[] file = Files.readAllBytes(folder().resolve("images").resolve(name));
        if (!name.endsWith("jpg")) {
            return new ImageDecoder(ImageLimits.defaults()).decode(file);
        }
        ImageHeader header = ImageHeader.read(file);
        Path pixels = folder().resolve("decoded/" + name + ".rgb");
        return new RgbImage(header.width(), header.height(), Files.readAllBytes(pixels));
    }

    /** Loads an encoder on the processor. */
    static LocalImageEncoder encoder(String projector) {
        return encoder(projector, EncoderPace.of(Cpu.device(), Duration.ofMillis(150)));
    }

    /** Loads an encoder on the processor that shares it so. */
    static LocalImageEncoder encoder(String projector, EncoderPace pace) {
        GgufFile file = GgufFile.open(model(projector));
        String type =
                file.metadata()
                        .findString("clip.projector_type")
                        .orElseGet(() -> file.metadata().string("clip.vision.projector_type"));
        return new LocalImageEncoder(
                provider(type).open(file), Cpu.device(), pace, LoadProgressListener.silent());
    }

    /** Expected rows of an image. */
    static float[] rows(String projector, String image) throws IOException {
        return floats(folder().resolve("embeddings/" + projector + "/" + image + ".f32"));
    }

    /**
     * Largest distance of the reference's rows of an image from those of the reference itself,
     * computed with kernels for other processors or without flash attention.
     */
    static double spread(String projector, String image) throws IOException {
        JsonNode all = new ObjectMapper().readTree(folder().resolve("images.json").toFile());
        for (JsonNode each : all.get("encoded")) {
            if (each.get("projector").asString().equals(projector)
                    && each.get("image").asString().equals(image)) {
                return Math.max(
                        each.get("rel_l2_avx2_kernels").asDouble(),
                        each.get("rel_l2_without_flash_attention").asDouble());
            }
        }
        throw new IllegalArgumentException(projector + " has no rows of " + image);
    }

    static float[] floats(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        float[] values = new float[bytes.remaining() / Float.BYTES];
        bytes.asFloatBuffer().get(values);
        return values;
    }

    /** Euclidean norm of the difference, relative to that of the expected values. */
    static double distance(float[] expected, float[] found) {
        double difference = 0;
        double size = 0;
        for (int i = 0; i < expected.length; i++) {
            double apart = expected[i] - found[i];
            difference += apart * apart;
            size += (double) expected[i] * expected[i];
        }
        return Math.sqrt(difference / size);
    }
}
