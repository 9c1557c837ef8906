package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.wire.WireException;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A server and a shard process whose files have the same name and header. */
@Timeout(60)
class TensorCheckTest {
    private static final int BLOCK = KvSlotSpan.BLOCK;
    private static final LayerRange FRONT = new LayerRange(0, 2);
    private static final LayerRange BACK = new LayerRange(2, 4);
    private static final String LAST = "blk.3.ffn_down.weight";

    @TempDir Path folder;
    private RemoteRig here;
    private RemoteRig there;

    @BeforeEach
    void open() throws Exception {
        here = rig("here", PlainModel.mixed(BLOCK));
        there = rig("there", PlainModel.mixed(BLOCK));
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    private RemoteRig rig(String name, PlainModel model) throws IOException {
        return new RemoteRig(Files.createDirectory(folder.resolve(name)), model, 2 * BLOCK);
    }

    /** The server's shard in the process. */
    private RemoteShard shard(LayerRange range) {
        return shard(range, PlainLink.Transport.MEMORY);
    }

    private RemoteShard shard(LayerRange range, PlainLink.Transport transport) {
        return here.open(
                there.link(transport),
                here.request(range, BoundaryType.F32),
                LoadProgressListener.silent());
    }

    private VarveException refusal(LayerRange range) {
        return assertThrows(VarveException.class, () -> shard(range).close());
    }

    /** Changes one bit of a tensor's bytes. */
    private static void spoil(Path file, String name) throws IOException {
        GgufTensor tensor = GgufFile.open(file).requireTensor(name);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            long at = tensor.offset() + tensor.bytes() - 1;
            channel.read(last, at);
            channel.write(ByteBuffer.wrap(new byte[] {(byte) (last.get(0) ^ 1)}), at);
        }
    }

    private Path file(String side) {
        return folder.resolve(side).resolve("plain.gguf");
    }

    @ParameterizedTest
    @EnumSource
    void equalFilesAtDifferentPathsAreAccepted(PlainLink.Transport transport) {
        try (RemoteShard shard = shard(BACK, transport)) {
            assertEquals(BACK, shard.range());
            assertEquals(1, there.host.loaded.size());
        }
    }

    @Test
    void differentWeightsWithTheSameHeaderAreRefused() throws Exception {
        there.close();
        there =
                rig(
                        "tuned",
                        PlainModel.seeded(
                                PlainModel.mixed(BLOCK).shape().layers(), BLOCK, 4711 + 1));

        VarveException refusal = refusal(FRONT);

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        String message = refusal.getMessage();
        assertTrue(
                message.matches(
                        "shard plain:0@test \\(layers 0 to 1\\): \\Q"
                                + file("here")
                                + "\\E: tensor token_embd\\.weight: expected SHA-256 [0-9a-f]{16}"
                                + "\\.\\.\\. as on the server, found [0-9a-f]{16}\\.\\.\\.;"
                                + " (\\d+) of \\1 tensors differ: both sides need the same file"),
                message);
    }

    @Test
    void tensorIsComparedWhereItIsUsed() throws Exception {
        spoil(file("there"), LAST);

        shard(FRONT).close();
        VarveException refusal = refusal(BACK);

        assertTrue(refusal.getMessage().contains("tensor " + LAST + ": "), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("; 1 of "), refusal.getMessage());
    }

    /** It was right when the server began; the process that comes back has another one. */
    @Test
    void replacedFileFailsTheConnection() throws Exception {
        PlainLink link = there.link(PlainLink.Transport.MEMORY);
        try (RemoteShard shard =
                here.open(
                        link,
                        here.request(BACK, BoundaryType.F32),
                        LoadProgressListener.silent())) {
            spoil(file("there"), LAST);
            link.crash();

            Await.value(
                    "reason",
                    () -> shard.health().reason().orElse(""),
                    reason -> reason.contains("tensor " + LAST + ": expected SHA-256 "));
        }
    }

    /** Its own weights are those of before; what is in the file now is no measure. */
    @Test
    void digestsAreNotReadFromAChangedFile() throws Exception {
        TensorCheck check =
                new TensorCheck(
                        TensorDigests.cachedIn(folder.resolve("cache")), here.model.tensors(BACK));
        Files.copy(file("here"), folder.resolve("copy"));
        Files.move(folder.resolve("copy"), file("here"), StandardCopyOption.REPLACE_EXISTING);

        VarveException refusal =
                assertThrows(
                        VarveException.class, () -> check.verify("test", Optional.of(Map.of())));

        assertEquals(VarveException.Kind.UNREADABLE_FILE, refusal.kind());
        assertTrue(
                refusal.getMessage().contains("plain.gguf: changed after it was opened"),
                refusal.getMessage());
    }

    @Test
    void tensorMissingInTheProcessIsADifference() {
        TensorCheck check =
                new TensorCheck(
                        TensorDigests.cachedIn(folder.resolve("cache")), here.model.tensors(BACK));

        VarveException refusal =
                assertThrows(
                        VarveException.class, () -> check.verify("test", Optional.of(Map.of())));

        assertTrue(refusal.getMessage().contains("found no such tensor"), refusal.getMessage());
    }

    private static Optional<Map<String, String>> read(boolean same, ByteBuffer payload) {
        FieldReader meta = new FieldReader(new FieldWriter().flag(same).done());
        return DigestCodec.get(meta, payload.duplicate().order(ByteOrder.LITTLE_ENDIAN));
    }

    @Test
    void digestsRoundTrip() {
        for (Optional<Map<String, String>> sent :
                List.of(
                        Optional.<Map<String, String>>empty(),
                        Optional.of(Map.of("a.weight", "0123", "b", "")))) {
            assertEquals(sent, read(sent.isEmpty(), DigestCodec.payload(sent)));
        }
    }

    @Test
    void invalidDigestsAreRefused() {
        Map<String, String> one = Map.of("a", "01");
        ByteBuffer whole = DigestCodec.payload(Optional.of(one));
        ByteBuffer twice =
                ByteBuffer.allocate(2 * whole.remaining())
                        .put(whole.duplicate())
                        .put(whole.duplicate())
                        .flip();

        assertThrows(WireException.class, () -> read(true, whole));
        assertThrows(WireException.class, () -> read(false, twice));
        for (int cut = 1; cut < whole.remaining(); cut++) {
            ByteBuffer part = DigestCodec.payload(Optional.of(one));
            part.limit(part.limit() - cut);
            assertThrows(WireException.class, () -> read(false, part), "without " + cut);
        }
        String tooLong = "0".repeat(ShardLoadRequest.DIGEST + 1);
        assertThrows(
                WireException.class,
                () -> read(false, DigestCodec.payload(Optional.of(Map.of("a", tooLong)))));
    }
}
