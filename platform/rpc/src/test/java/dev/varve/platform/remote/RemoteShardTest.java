package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardResult;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A shard behind a connection gives what it gives in this process. */
@Timeout(120)
class RemoteShardTest {
    private static final int STEPS = 60;

    @TempDir Path folder;
    private RemoteRig rig;
    private LayerRange all;
    private LayerRange head;
    private LayerRange tail;

    @BeforeEach
    void open() throws Exception {
        rig = new RemoteRig(folder, PlainModel.mixed(RemoteRig.BLOCK), 3 * RemoteRig.BLOCK);
        all = rig.model.shape().allLayers();
        head = new LayerRange(0, 2);
        tail = new LayerRange(2, all.end());
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private RemoteShard shard(PlainLink.Transport transport, LayerRange range, BoundaryType type) {
        return rig.open(rig.link(transport), range, type);
    }

    private BatchWalk walk(long seed) {
        return new BatchWalk(seed, rig.model.shape().vocabularySize(), all.end());
    }

    @ParameterizedTest
    @EnumSource
    void everyBatchMatchesALocalShardBitwise(PlainLink.Transport transport) {
        BatchWalk walk = walk(4711);
        try (RemoteShard remote = shard(transport, all, BoundaryType.F32);
                Shard local = rig.twin(all)) {
            for (int step = 0; step < STEPS; step++) {
                Batch batch = walk.next();

                ShardResult expected = local.forward(batch, Optional.empty()).join();
                ShardResult found = Await.result(remote.forward(batch, Optional.empty()));

                assertEqualResults(batch, expected, found, walk.toString());
            }
            assertTrue(remote.traffic().orElseThrow().receivedBytes() > 0);
            assertTrue(remote.boundaryMillis() > 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"F32, MEMORY", "F32, UNIX", "F16, MEMORY", "BF16, UNIX"})
    void splitModelUsesActivationsRoundedToTheBoundaryType(
            BoundaryType type, PlainLink.Transport transport) {
        BatchWalk walk = walk(4712);
        try (RemoteShard first = shard(transport, head, type);
                RemoteShard second = shard(transport, tail, type);
                Shard localFirst = rig.twin(head);
                Shard localSecond = rig.twin(tail)) {
            for (int step = 0; step < STEPS; step++) {
                Batch batch = walk.next();
                ShardResult localHalf = localFirst.forward(batch, Optional.empty()).join();
                LayerActivations rounded = rounded(localHalf.boundary().orElseThrow(), type);
                ShardResult expected = localSecond.forward(batch, Optional.of(rounded)).join();

                ShardResult half = Await.result(first.forward(batch, Optional.empty()));
                ShardResult found = Await.result(second.forward(batch, half.boundary()));

                assertArrayEquals(
                        rounded.values(), half.boundary().orElseThrow().values(), walk.toString());
                assertEqualFeatures(localHalf, half, walk.toString());
                assertEqualResults(batch, expected, found, walk.toString());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void warmUpPassesThroughAndComputesNothing(PlainLink.Transport transport) {
        BatchWalk walk = walk(4713);
        try (RemoteShard remote = shard(transport, tail, BoundaryType.F32);
                RemoteShard first = shard(transport, head, BoundaryType.F32);
                Shard twin = rig.twin(all)) {
            assertTrue(remote.canWarmUp());
            Batch batch = walk.next();

            ShardResult half = Await.result(first.warmUp(batch, Optional.empty()));
            ShardResult result = Await.result(remote.warmUp(batch, half.boundary()));

            assertEquals(batch.outputs(), result.rows());
            ShardResult expected = twin.forward(batch, Optional.empty()).join();
            ShardResult found =
                    Await.result(
                            remote.forward(
                                    batch,
                                    Await.result(first.forward(batch, Optional.empty()))
                                            .boundary()));
            assertArrayEquals(expected.best(), found.best(), walk.toString());
        }
    }

    private static LayerActivations rounded(LayerActivations boundary, BoundaryType type) {
        int count = boundary.values().length;
        ByteBuffer bytes = ByteBuffer.allocate(count * type.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        type.put(boundary.values(), count, bytes);
        return new HostActivations(type.get(count, bytes.flip()), boundary.tokens());
    }

    /** Equal as far as somebody asked. */
    private void assertEqualResults(
            Batch batch, ShardResult expected, ShardResult found, String step) {
        int vocabulary = rig.model.shape().vocabularySize();
        assertEquals(expected.rows(), found.rows(), step);
        int row = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            int rows = chunk.outputs().count(chunk.tokens().length);
            for (int i = row; i < row + rows; i++) {
                if (chunk.outputs().isBest()) {
                    assertEquals(expected.best()[i], found.best()[i], step);
                    continue;
                }
                for (int token = 0; token < vocabulary; token++) {
                    assertEquals(
                            expected.logits()[i * vocabulary + token],
                            found.logits()[i * vocabulary + token],
                            step);
                }
            }
            row += rows;
        }
        assertEqualFeatures(expected, found, step);
    }

    private static void assertEqualFeatures(ShardResult expected, ShardResult found, String step) {
        assertEquals(
                expected.features().stream().map(CapturedFeature::layer).toList(),
                found.features().stream().map(CapturedFeature::layer).toList(),
                step);
        for (int i = 0; i < expected.features().size(); i++) {
            assertArrayEquals(
                    expected.features().get(i).values(), found.features().get(i).values(), step);
        }
    }

    @Test
    void severalPendingBatchesAreComputedInOrder() {
        BatchWalk walk = walk(4713);
        try (RemoteShard remote = shard(PlainLink.Transport.MEMORY, head, BoundaryType.F32);
                Shard local = rig.twin(head)) {
            List<float[]> expected = new ArrayList<>();
            List<CompletableFuture<ShardResult>> found = new ArrayList<>();
            for (int step = 0; step < 12; step++) {
                Batch batch = walk.next();
                expected.add(
                        local.forward(batch, Optional.empty())
                                .join()
                                .boundary()
                                .orElseThrow()
                                .values());
                found.add(remote.forward(batch, Optional.empty()));
            }

            for (int step = 0; step < expected.size(); step++) {
                ShardResult result = Await.result(found.get(step));
                assertArrayEquals(
                        expected.get(step), result.boundary().orElseThrow().values(), "" + step);
            }
        }
    }

    @Test
    void memoryOfALoadedShardIsThatOfItsProcess() {
        List<Long> progress = new ArrayList<>();
        PlainLink link = rig.link(PlainLink.Transport.MEMORY);

        try (RemoteShard remote =
                        rig.open(
                                link,
                                tail,
                                BoundaryType.F32,
                                (done, total) -> {
                                    progress.add(done);
                                    progress.add(total);
                                });
                Shard local = rig.twin(tail)) {
            long bytes = local.memory().weights();
            assertEquals(List.of(bytes / 2, bytes, bytes, bytes), progress);
            assertEquals(local.memory(), remote.memory());
            assertEquals(tail, remote.range());
            assertEquals("plain:0@test", remote.device());
            assertEquals(ShardHealth.ready(), remote.health());
        }
        assertTrue(link.isClosed());
    }

    @Test
    void shardOnLocalCoresSharesTheProcessorLock() {
        try (RemoteShard remote = shard(PlainLink.Transport.MEMORY, all, BoundaryType.F32);
                RemoteShard other = shard(PlainLink.Transport.MEMORY, all, BoundaryType.F32)) {
            assertEquals(RemoteRig.HOST_CORES, remote.computesOn());
            assertEquals(remote.computesOn(), other.computesOn());
            assertNotEquals(remote.computesOn(), rig.twin(all).computesOn());
        }
    }

    @Test
    void refusedBatchIsACallerErrorOnly() {
        try (RemoteShard remote = shard(PlainLink.Transport.MEMORY, all, BoundaryType.F32)) {
            Batch neverBegan =
                    new Batch(
                            List.of(
                                    new SequenceChunk(
                                            1,
                                            new int[] {1},
                                            new ChunkPlacement(
                                                    5, new KvSlotSpan(0, RemoteRig.BLOCK), 1, 1),
                                            RequestedOutput.BEST)),
                            Phase.DECODE);

            Throwable refused = Await.failure(remote.forward(neverBegan, Optional.empty()));

            VarveException reason = (VarveException) refused;
            assertEquals(VarveException.Kind.INVALID_REQUEST, reason.kind());
            assertTrue(
                    reason.getMessage().contains("is read after 5 positions"), reason::getMessage);
            assertEquals(ShardHealth.ready(), remote.health());
            Await.result(remote.forward(walk(4714).next(), Optional.empty()));
        }
    }

    @Test
    void processWithAnotherFileIsRefusedWithBothDigests() {
        ShardLoadRequest request = rig.request(all, BoundaryType.F32);
        ShardLoadRequest.Model other =
                new ShardLoadRequest.Model(
                        request.model().name(),
                        "0123",
                        request.model().files(),
                        new ShardLoadRequest.ModelDimensions("other", 9, 8, 61),
                        request.model().options());
        RemoteShard.Peer peer =
                new RemoteShard.Peer(
                        "plain", rig.link(PlainLink.Transport.MEMORY), RemoteRig.HOST_CORES);

        VarveException refused =
                assertThrows(
                        VarveException.class,
                        () ->
                                RemoteShard.open(
                                        peer,
                                        rig.model,
                                        new ShardLoadRequest(
                                                other,
                                                request.range(),
                                                request.shard(),
                                                request.device(),
                                                request.boundaryType()),
                                        TensorDigests.cachedIn(folder),
                                        (done, total) -> {}));

        assertEquals(VarveException.Kind.INVALID_REQUEST, refused.kind());
        assertTrue(
                refused.getMessage()
                        .contains(
                                "digest 0123 on the server, "
                                        + request.model().digest()
                                        + " on the shard; architecture other on the server, plain"
                                        + " on the shard; layers 9 on the server, 4 on the shard"),
                refused::getMessage);
        assertTrue(peer.link() instanceof PlainLink link && link.isClosed());
    }
}
