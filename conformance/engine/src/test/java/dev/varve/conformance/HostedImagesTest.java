package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ImageMemoryPlan;
import dev.varve.platform.host.ImageSettings;
import dev.varve.platform.host.ModelImages;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.vision.EncodedImage;
import dev.varve.platform.vision.ImageCounts;
import dev.varve.platform.vision.ImageGrid;
import dev.varve.platform.vision.ImageLimits;
import dev.varve.platform.vision.InvalidImageException;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen3VlProjector;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

import javax.imageio.ImageIO;

/** Models that are opened with a projector. */
class HostedImagesTest {
    @TempDir private Path folder;

    private Path model;
    private int width;

    @BeforeEach
    void write() throws IOException {
        Qwen35Model tiny = Qwen35Model.tiny();
        model = tiny.write(folder);
        width = tiny.size().embedding();
    }

    private HostSettings settings() {
        return new HostSettings(
                model,
                Cpu.settings(256, 1, Cpu.F16),
                HostSettings.of(model, folder, folder).onDevices("cpu:0").devices(),
                Cpu.plugins(model, folder.resolve("cache")),
                HostSettings.of(model, folder, folder).processes());
    }

    private HostSettings seeing(Path projector) {
        return settings().with(ImageSettings.of(projector));
    }

    private static byte[] png(int width, int height, int colour) throws IOException {
        return file("png", width, height, colour);
    }

    private static byte[] file(String format, int width, int height, int colour)
            throws IOException {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        image.setRGB(width / 2, height / 2, colour);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(image, format, out);
        return out.toByteArray();
    }

    @Test
    void imagesAreEncodedOnceForEqualFiles() throws IOException {
        Path projector = Qwen3VlProjector.tiny(width).write(folder);
        try (HostedModel hosted = HostedModel.open(seeing(projector))) {
            ModelImages images = hosted.images().orElseThrow();

            ImageGrid grid = images.measure(png(128, 96, 0xffffff));
            EncodedImage image = images.encode(png(128, 96, 0xffffff));
            EncodedImage other = images.encode(png(128, 96, 0xff0000));

            assertEquals(new ImageGrid(4, 3), grid);
            assertEquals(grid, image.size());
            assertEquals(12 * width, image.rows().length);
            assertSame(image, images.encode(png(128, 96, 0xffffff)));
            assertNotEquals(image.key(), other.key());
            ImageCounts counts = images.counts();
            assertEquals(2, counts.encoded());
            assertEquals(24, counts.tokens());
            assertEquals(1, counts.cacheHits());
            assertTrue(counts.encodeNanos() > 0);
            assertEquals(image.bytes() + other.bytes(), counts.cachedBytes());
            assertEquals("cpu:0", images.device());
            assertEquals(1024, images.maxTokens(), "a processor has a limit of its own");
        }
    }

    /** Such as an image that a client stored again, in another conversation. */
    @Test
    void otherFilesOfAnImageAreNotEncoded() throws IOException {
        Path projector = Qwen3VlProjector.tiny(width).write(folder);
        try (HostedModel hosted = HostedModel.open(seeing(projector))) {
            ModelImages images = hosted.images().orElseThrow();

            EncodedImage image = images.encode(file("png", 128, 96, 0xffffff));

            assertSame(image, images.encode(file("bmp", 128, 96, 0xffffff)));
            assertEquals(1, images.counts().encoded());
            assertEquals(1, images.counts().cacheHits());
        }
    }

    @Test
    void limitsOfTokensReduceImages() throws IOException {
        Path projector = Qwen3VlProjector.tiny(width).write(folder);
        ImageSettings small =
                new ImageSettings(
                        projector,
                        Optional.empty(),
                        OptionalInt.empty(),
                        OptionalInt.of(6),
                        ImageLimits.defaults());
        try (HostedModel hosted = HostedModel.open(settings().with(small))) {
            ModelImages images = hosted.images().orElseThrow();

            assertTrue(images.measure(png(640, 480, 0)).tokens() <= 6);
            InvalidImageException thrown =
                    assertThrows(
                            InvalidImageException.class, () -> images.measure(png(2000, 20, 0)));
            assertTrue(thrown.getMessage().contains("at most 6"), thrown.getMessage());
        }
    }

    /** A request for less detail gives another image, which is cached beside the first one. */
    @Test
    void limitOfARequestReducesAnImage() throws IOException {
        Path projector = Qwen3VlProjector.tiny(width).write(folder);
        try (HostedModel hosted = HostedModel.open(seeing(projector))) {
            ModelImages images = hosted.images().orElseThrow();
            byte[] file = png(640, 480, 0xffffff);

            EncodedImage whole = images.encode(file, () -> false);
            EncodedImage reduced = images.encode(file, 20, () -> false);

            assertEquals(300, whole.size().tokens());
            assertEquals(images.measure(file, 20), reduced.size());
            assertTrue(reduced.size().tokens() <= 20, reduced.size().toString());
            assertSame(reduced, images.encode(file, 20, () -> false));
            assertSame(whole, images.encode(file));
            assertSame(whole, images.encode(file, 5_000, () -> false));
        }
    }

    @Test
    void planCountsTheEncoder() throws IOException {
        Path projector = Qwen3VlProjector.tiny(width).write(folder);

        ImageMemoryPlan plan =
                PreparedModel.open(seeing(projector), ModelLoadListener.silent())
                        .imagePlan()
                        .orElseThrow();

        assertEquals(DeviceReference.PROCESSOR, plan.device());
        assertEquals(1024, plan.tokens());
        assertTrue(plan.weightBytes() > 0 && plan.computeBytes() > 0, plan.toString());
    }

    @Test
    void projectorOfAnotherModelIsRefused() throws IOException {
        Path other = Qwen3VlProjector.tiny(width + 32).write(folder);

        assertRefused("its rows have " + (width + 32) + " elements", other);
        assertRefused("architecture qwen35 is no projector", model);
    }

    private ImageSettings upTo(Path projector, int tokens) {
        return new ImageSettings(
                projector,
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.of(tokens),
                ImageLimits.defaults());
    }

    /** Dense Gemma 4: the tokens of an image attend to one another in sliding layers. */
    @Test
    void imagesInBothDirectionsFitOneBatch() throws IOException {
        model = VisionGolden.model("text-gemma4");
        for (String name : List.of("gemma4v-std", "gemma4uv")) {
            Path projector = VisionGolden.model(name);

            assertEquals(256, plan(ImageSettings.of(projector)).tokens());
            assertEquals(100, plan(upTo(projector, 100)).tokens());
            VarveException thrown =
                    assertThrows(VarveException.class, () -> plan(upTo(projector, 257)));
            assertTrue(thrown.getMessage().contains("at most 256, found 257"), thrown.getMessage());
        }
    }

    private ImageMemoryPlan plan(ImageSettings images) throws IOException {
        return PreparedModel.open(settings().with(images), ModelLoadListener.silent())
                .imagePlan()
                .orElseThrow();
    }

    private void assertRefused(String part, Path projector) {
        VarveException thrown =
                assertThrows(
                        VarveException.class,
                        () -> PreparedModel.open(seeing(projector), ModelLoadListener.silent()));
        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
    }

    @Test
    void projectorBesideTheModelIsOffered() throws IOException {
        Qwen3VlProjector.tiny(width).write(folder);
        List<String> notes = new ArrayList<>();

        PreparedModel.open(
                settings(),
                new ModelLoadListener() {
                    @Override
                    public void note(String text) {
                        notes.add(text);
                    }
                });

        assertTrue(
                notes.stream().anyMatch(note -> note.contains("mmproj-" + width + ".gguf")),
                notes.toString());
    }
}
