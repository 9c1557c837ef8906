package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.remote.ChildProcessLink;
import dev.varve.platform.remote.RemoteTextScorer;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.remote.ShardLoadRequest;
import dev.varve.platform.remote.ShardWireOptions;
import dev.varve.platform.remote.TensorCheck;
import dev.varve.platform.remote.TextScorerLoadRequest;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.ShardHealth.State;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.local.LayerMajorImportanceScorer;
import dev.varve.platform.shard.local.LocalImportanceScorer;
import dev.varve.testkit.Await;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen3Model;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A model that reads texts in a process of its own: it finds what it would find in this one, and
 * whatever becomes of the process costs the text at hand only.
 */
@Timeout(600)
class RemoteTextScorerTest {
    private static final int TAIL = 8;

    /** Takes seconds to be read, so that something can happen meanwhile. */
    private static final int LONG = 20_000;

    private static final BooleanSupplier PATIENT = () -> false;

    @TempDir static Path models;
    @TempDir static Path installation;
    private static ShardProgram program;
    private static Path small;

    @BeforeAll
    static void install() throws Exception {
        program = ShardProgram.install(models, installation);
        small = Qwen3Model.tiny().write(models);
    }

    private static LayerMajorImportanceScorer.ScoringOptions look(
            int begin, int end, boolean rotated) {
        return new LayerMajorImportanceScorer.ScoringOptions(
                new LayerRange(begin, end), TAIL, rotated);
    }

    private static TextScorerLoadRequest request(
            Path file,
            LayerMajorImportanceScorer.ScoringOptions options,
            LocalImportanceScorer.Residency residency) {
        OpenedModel model = Cpu.open(file, ModelOptions.defaults());
        return new TextScorerLoadRequest(
                ShardLoadRequest.Model.of(model.file(), model.adapter(), ModelOptions.defaults()),
                options,
                residency,
                new ShardLoadRequest.Device(
                        "cpu:0", new DeviceOptions(OptionalInt.of(1), OptionalInt.empty(), true)));
    }

    /** Both sides have the same files. */
    private static RemoteTextScorer open(
            String device, ShardLink link, TextScorerLoadRequest request) {
        return RemoteTextScorer.open(
                device,
                link,
                request,
                new TensorCheck(
                        TensorDigests.cachedIn(installation), new TensorSelection(List.of())));
    }

    private static TextScorerLoadRequest request() {
        return request(small, look(0, 4, false), LocalImportanceScorer.Residency.PERSISTENT);
    }

    private static LocalImportanceScorer here(
            Path file, LayerMajorImportanceScorer.ScoringOptions options) {
        OpenedModel model = Cpu.open(file, ModelOptions.defaults());
        return new LocalImportanceScorer(
                model.range(model.shape().allLayers()),
                Cpu.oneThread(),
                options,
                LocalImportanceScorer.Residency.PERSISTENT,
                LoadProgressListener.silent());
    }

    private static int[] text(int tokens, long seed) {
        return Qwen3Model.tiny().randomTokens(tokens, seed);
    }

    @Test
    void remoteScoresEqualLocalScores() throws Exception {
        List<LayerMajorImportanceScorer.ScoringOptions> looks =
                List.of(look(0, 4, false), look(3, 4, true));
        for (Path file :
                Thorough.first(1, List.of(small, Qwen35Model.tiny().write(models))).toList()) {
            for (int i = 0; i < looks.size(); i++) {
                LayerMajorImportanceScorer.ScoringOptions options = looks.get(i);
                LocalImportanceScorer.Residency residency =
                        LocalImportanceScorer.Residency.values()[1 + i];
                try (LocalImportanceScorer here = here(file, options);
                        RemoteTextScorer there =
                                open(
                                        "cpu:0@process",
                                        program.child("alike"),
                                        request(file, options, residency))) {
                    assertEquals(here.weightBytes(), there.weightBytes());
                    for (int tokens : new int[] {TAIL + 1, 300, 1500}) {
                        int[] text = text(tokens, tokens);

                        assertArrayEquals(
                                here.read(text, PATIENT),
                                there.read(text, PATIENT),
                                file + ", " + options + ", " + tokens + " tokens");
                    }
                }
            }
        }
    }

    @Test
    void severalServersShareOneProcess() throws Exception {
        int[] text = text(300, 2);
        try (ListeningShard shard = ListeningShard.start(program);
                LocalImportanceScorer here = here(small, look(0, 4, false));
                RemoteTextScorer one = open("cpu:0@unix:x", shard.link(), request());
                RemoteTextScorer two = open("cpu:0@unix:x", shard.link(), request())) {
            float[] expected = here.read(text, PATIENT);

            assertArrayEquals(expected, one.read(text, PATIENT));
            assertArrayEquals(expected, two.read(text, PATIENT));
        }
    }

    @Test
    @Tag("nightly")
    void killedScorerCostsOnlyTheCurrentTextAndRecovers() throws Exception {
        mishap(new FragileLink(program.child("dies")), FragileLink::kill);
    }

    @Test
    @Tag("nightly")
    void hangingScorerCostsOnlyTheCurrentTextAndRecovers() throws Exception {
        mishap(new FragileLink(program.child("hangs")), FragileLink::freeze);
    }

    @Test
    @Tag("nightly")
    void malformedFramesCountAsALostScorer() throws Exception {
        SpoiltTransport transport = new SpoiltTransport();
        FragileLink link =
                new FragileLink(
                        new ChildProcessLink(
                                program.launch("spoilt"),
                                transport,
                                ShardWireOptions.wireOptions("server")));
        mishap(link, spoilt -> transport.spoil());
    }

    private static void mishap(FragileLink link, Consumer<FragileLink> mishap) throws Exception {
        int[] text = text(300, 3);
        try (RemoteTextScorer there = open("cpu:0@process", link, request())) {
            float[] expected = there.read(text, PATIENT);
            for (int i = 1; i <= 2; i++) {
                ShardLostException lost =
                        assertThrows(
                                ShardLostException.class,
                                () -> there.read(text(LONG, 4), once(() -> mishap.accept(link))));

                assertEquals(VarveException.Kind.UNAVAILABLE, lost.kind());
                assertTrue(lost.getMessage().startsWith("drafter "), lost.getMessage());
                int restarts = i;
                Await.value(
                        restarts + " restarts",
                        there::health,
                        health -> health.state() == State.READY && health.restarts() == restarts);
                // Nobody has to ask for it twice.
                assertArrayEquals(expected, there.read(text, PATIENT), "after mishap " + i);
            }
        }
    }

    /**
     * Runs a mishap at the first call. The scorer calls this while it waits for the scores of a
     * text.
     */
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
    @Tag("nightly")
    void whileTheScorerIsDownTextsAreRefusedAtOnce() throws Exception {
        FragileLink link = new FragileLink(program.child("gone"));
        int[] text = text(60, 5);
        try (RemoteTextScorer there = open("cpu:0@process", link, request())) {
            float[] expected = there.read(text, PATIENT);
            link.divert(program.child(program.launch("false", List.of("false"))));
            assertThrows(
                    ShardLostException.class, () -> there.read(text(LONG, 4), once(link::kill)));

            for (int i = 0; i < 20; i++) {
                assertThrows(ShardLostException.class, () -> there.read(text, PATIENT));
            }

            link.heal();
            Await.value("it is back", there::health, health -> health.state() == State.READY);
            assertArrayEquals(expected, there.read(text, PATIENT));
        }
    }

    @Test
    @Tag("nightly")
    void cancelledScanStopsAndTheNextOneRuns() throws Exception {
        int[] text = text(60, 6);
        try (RemoteTextScorer there = open("cpu:0@process", program.child("left"), request())) {
            float[] expected = there.read(text, PATIENT);
            AtomicInteger asked = new AtomicInteger();

            assertThrows(
                    CancellationException.class,
                    () -> there.read(text(LONG, 7), () -> asked.incrementAndGet() == 2));

            assertArrayEquals(expected, there.read(text, PATIENT));
            assertEquals(0, there.health().restarts());
        }
    }

    @Test
    @Tag("nightly")
    void truncatedRemoteFileIsRefusedByName() throws Exception {
        Path file = models.resolve("short.gguf");
        Files.copy(small, file, StandardCopyOption.REPLACE_EXISTING);
        TextScorerLoadRequest request =
                request(file, look(0, 4, false), LocalImportanceScorer.Residency.PERSISTENT);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 1000);
        }

        VarveException refusal = refusal(request);

        assertEquals(VarveException.Kind.CORRUPT_FILE, refusal.kind());
        assertTrue(refusal.getMessage().contains("truncated or corrupt"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("short.gguf"), refusal.getMessage());
    }

    @Test
    @Tag("nightly")
    void differentFileOfTheSameNameIsRefused() {
        TextScorerLoadRequest request = request();
        ShardLoadRequest.Model model = request.model();
        VarveException refusal =
                refusal(
                        new TextScorerLoadRequest(
                                new ShardLoadRequest.Model(
                                        model.name(),
                                        "0".repeat(64),
                                        model.files(),
                                        model.shape(),
                                        model.options()),
                                request.options(),
                                request.residency(),
                                request.device()));

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        assertTrue(refusal.getMessage().contains("different files"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains(model.digest()), refusal.getMessage());
    }

    /** As after further training: only the last layer of the process's file differs. */
    @Test
    @Tag("nightly")
    void differentWeightsWithTheSameHeaderAreRefused(@TempDir Path here) throws Exception {
        Path own = OtherWeights.copy(small, here, "blk.3.ffn_down.weight");
        TextScorerLoadRequest request =
                request(own, look(0, 4, false), LocalImportanceScorer.Residency.PERSISTENT);
        OpenedModel model = Cpu.open(own, ModelOptions.defaults());
        TensorCheck check =
                new TensorCheck(
                        TensorDigests.cachedIn(installation),
                        model.adapter().tensors(model.shape().allLayers()));

        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () ->
                                RemoteTextScorer.open(
                                                "cpu:0@process",
                                                program.child("tuned"),
                                                request,
                                                check)
                                        .close());

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        assertTrue(
                refusal.getMessage()
                        .startsWith(
                                "drafter "
                                        + small.getFileName()
                                        + " on cpu:0@process: "
                                        + own
                                        + ": tensor blk.3.ffn_down.weight: expected SHA-256 "),
                refusal.getMessage());
    }

    @Test
    @Tag("nightly")
    void layersWithoutAttentionAreRefused() throws Exception {
        Path file = Qwen35Model.tiny().write(models);

        VarveException refusal =
                refusal(
                        request(
                                file,
                                look(0, 2, false),
                                LocalImportanceScorer.Residency.PERSISTENT));

        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, refusal.kind());
        assertTrue(refusal.getMessage().contains("full attention"), refusal.getMessage());
    }

    private static VarveException refusal(TextScorerLoadRequest request) {
        return assertThrows(
                VarveException.class,
                () -> open("cpu:0@process", program.child("refuses"), request).close());
    }
}
