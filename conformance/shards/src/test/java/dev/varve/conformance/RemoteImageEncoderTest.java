package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImagePixels;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ImageSettings;
import dev.varve.platform.host.ModelImages;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.remote.FileReference;
import dev.varve.platform.remote.ImageEncoderLoadRequest;
import dev.varve.platform.remote.RemoteImageEncoder;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.remote.ShardLoadRequest;
import dev.varve.platform.remote.TensorCheck;
import dev.varve.platform.shard.ShardHealth.State;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.image.LocalImageEncoder;
import dev.varve.platform.vision.ImageLimits;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** An image encoder in a process of its own: equal rows, and a crash costs one image only. */
@Timeout(300)
class RemoteImageEncoderTest {
    private static final String PROJECTOR = "qwen3vl";
    private static final BooleanSupplier PATIENT = () -> false;

    @TempDir static Path models;
    @TempDir static Path installation;
    private static ShardProgram program;
    private static GgufFile file;
    private static ImageEncoder facts;
    private static ImagePixels pixels;
    private static float[] expected;

    @BeforeAll
    static void install() throws Exception {
        Path copy = models.resolve("mmproj.gguf");
        Files.copy(VisionGolden.model(PROJECTOR), copy);
        file = GgufFile.open(copy);
        program = ShardProgram.install(models, installation);
        try (LocalImageEncoder here = VisionGolden.encoder(PROJECTOR)) {
            facts = here.encoder();
            pixels = VisionGolden.pixels("a-gradient.png", facts.input());
            expected = here.encode(pixels);
        }
    }

    private static RemoteImageEncoder open(ShardLink link, FileReference projector) {
        return RemoteImageEncoder.open(
                facts,
                "cpu:0@process",
                link,
                new ImageEncoderLoadRequest(
                        projector,
                        new ShardLoadRequest.Device(
                                "cpu:0",
                                new DeviceOptions(OptionalInt.of(1), OptionalInt.empty(), true)),
                        Duration.ofMillis(75)),
                new TensorCheck(
                        TensorDigests.cachedIn(installation), new TensorSelection(List.of())));
    }

    private static BooleanSupplier once(Runnable mishap) {
        AtomicInteger asked = new AtomicInteger();
        return () -> {
            if (asked.getAndIncrement() == 0) {
                mishap.run();
            }
            return false;
        };
    }

    @Test
    void rowsAreThoseOfAnEncoderInThisProcess() throws Exception {
        try (RemoteImageEncoder there = open(program.child("alike"), FileReference.of(file))) {
            assertArrayEquals(expected, there.encode(pixels, PATIENT));
            assertEquals("cpu:0@process", there.device());
        }
    }

    /** The process is stopped first, so that it dies in the middle of the image. */
    @Test
    @Tag("nightly")
    void killedProcessCostsOneImageAndRecovers() throws Exception {
        FragileLink link = new FragileLink(program.child("dies"));
        try (RemoteImageEncoder there = open(link, FileReference.of(file))) {
            link.freeze();
            assertThrows(CancellationException.class, () -> there.encode(pixels, () -> true));
            ShardLostException lost =
                    assertThrows(
                            ShardLostException.class, () -> there.encode(pixels, once(link::kill)));

            assertEquals(VarveException.Kind.UNAVAILABLE, lost.kind());
            assertTrue(lost.getMessage().startsWith("image encoder mmproj"), lost.getMessage());
            Await.value(
                    "a restart",
                    there::health,
                    health -> health.state() == State.READY && health.restarts() == 1);
            assertArrayEquals(expected, there.encode(pixels, PATIENT), "after the restart");
        }
    }

    /** The way of {@code --mmproj-device cpu:0@process}. */
    @Test
    void modelHasItsImagesFromAProcess() throws Exception {
        Path text = VisionGolden.model("text-qwen35");
        Path cache = installation.resolve("cache");
        HostSettings settings =
                new HostSettings(
                                text,
                                Cpu.settings(256, 1, Cpu.F16),
                                HostSettings.of(text, cache, cache).onDevices("cpu:0").devices(),
                                Cpu.plugins(text, cache),
                                ShardProcessSettings.none().startedBy(program.command()))
                        .with(
                                new ImageSettings(
                                        file.path(),
                                        Optional.of(DeviceReference.parse("cpu:0@process")),
                                        OptionalInt.empty(),
                                        OptionalInt.empty(),
                                        ImageLimits.defaults()));
        byte[] image = Files.readAllBytes(VisionGolden.folder().resolve("images/a-gradient.png"));

        try (HostedModel hosted = HostedModel.open(settings)) {
            ModelImages images = hosted.images().orElseThrow();

            assertArrayEquals(expected, images.encode(image).rows());
            assertEquals("cpu:0@process", images.device());
        }
    }

    @Test
    void otherFilesAreRefused() {
        FileReference mine = FileReference.of(file);
        FileReference other =
                new FileReference(mine.name(), "0".repeat(mine.digest().length()), mine.files());

        VarveException thrown =
                assertThrows(VarveException.class, () -> open(program.child("other"), other));

        assertTrue(thrown.getMessage().contains("have different files"), thrown.getMessage());
    }
}
