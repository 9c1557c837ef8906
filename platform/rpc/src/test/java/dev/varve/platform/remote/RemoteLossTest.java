package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KeptParts;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardResult;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** Shards behind a connection that breaks, is closed in the middle, or is shared by two servers. */
@Timeout(120)
class RemoteLossTest {
    @TempDir Path folder;
    private RemoteRig rig;
    private LayerRange all;
    private PlainLink link;
    private RemoteShard shard;
    private final CountDownLatch computing = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @BeforeEach
    void open() throws Exception {
        rig = new RemoteRig(folder, PlainModel.mixed(RemoteRig.BLOCK), 2 * RemoteRig.BLOCK);
        all = rig.model.shape().allLayers();
        link = rig.link(PlainLink.Transport.MEMORY);
        shard = rig.open(link, all, BoundaryType.F32);
    }

    @AfterEach
    void close() {
        goOn.countDown();
        shard.close();
        rig.close();
    }

    /** Holds the process in its next batch until the test continues. */
    private void holdTheNextBatch() {
        rig.host.beforeBatch =
                batch -> {
                    computing.countDown();
                    Await.latch(goOn);
                };
    }

    private static Batch batch(int first, int token) {
        return new Batch(
                List.of(
                        new SequenceChunk(
                                1,
                                new int[] {token},
                                new ChunkPlacement(
                                        first,
                                        new KvSlotSpan(0, RemoteRig.BLOCK),
                                        first == 0 ? SequenceChunk.ZERO_ROW : 1,
                                        1),
                                RequestedOutput.BEST)),
                Phase.DECODE);
    }

    private CompletableFuture<ShardResult> forward(int first, int token) {
        return shard.forward(batch(first, token), Optional.empty());
    }

    @Test
    void pendingCallsFailAsLostWhenTheProcessEnds() {
        holdTheNextBatch();
        List<CachePart> parts = rig.layout(all).states(1, 1);
        KeptParts kept = KeptParts.zeros(parts);
        List<CompletableFuture<?>> underWay =
                List.of(
                        forward(0, 1),
                        shard.export(parts, new KeptParts()),
                        shard.adopt(parts, kept),
                        forward(0, 2));
        Await.latch(computing);

        link.crash();

        for (CompletableFuture<?> future : underWay) {
            Throwable lost = Await.failure(future);
            assertInstanceOf(ShardLostException.class, lost);
            assertTrue(
                    lost.getMessage().startsWith("shard plain:0@test (layers 0 to 3) is lost: "),
                    lost::getMessage);
        }
        assertInstanceOf(ShardLostException.class, Await.failure(shard.adopt(parts, kept)));
    }

    @Test
    void recoveredShardIsUsedAfterRecoverAndIsEmpty() {
        Await.result(forward(0, 1));
        long received = shard.traffic().orElseThrow().receivedBytes();
        link.crash();
        Await.value("back", shard::health, health -> health.restarts() == 1);

        assertInstanceOf(ShardLostException.class, Await.failure(forward(0, 1)));
        Await.result(shard.recover());

        Throwable refused = Await.failure(forward(1, 2));
        assertTrue(refused.getMessage().contains("is read after 1 positions"), refused::getMessage);
        Await.result(forward(0, 1));
        assertTrue(shard.traffic().orElseThrow().receivedBytes() > received);
    }

    @Test
    void unreachableShardIsMissingWithItsReason() {
        link.outOfOrder(Optional.of("the cable is out"));
        link.crash();

        ShardHealth missing =
                Await.value(
                        "missing",
                        shard::health,
                        health -> health.reason().equals(Optional.of("the cable is out")));
        CompletableFuture<Void> recovered = shard.recover();

        assertEquals(ShardHealth.State.MISSING, missing.state());
        assertFalse(recovered.isDone());
        link.outOfOrder(Optional.empty());
        Await.result(recovered);
        Await.result(forward(0, 1));
    }

    @Test
    void lostProcessFreesItsResources() {
        PlainHost.Loaded loaded = rig.host.loaded.remove();
        PlainDevice device = rig.host.opened.remove();

        link.crash();

        Await.result(loaded.freed);
        Await.result(device.closed());
    }

    @Test
    void closeDuringABatchFailsItAndLaterCalls() {
        holdTheNextBatch();
        CompletableFuture<ShardResult> underWay = forward(0, 1);
        Await.latch(computing);

        shard.close();

        assertInstanceOf(ShardLostException.class, Await.failure(underWay));
        assertInstanceOf(ShardLostException.class, Await.failure(forward(0, 1)));
        assertInstanceOf(ShardLostException.class, Await.failure(shard.recover()));
        assertTrue(link.isClosed());
        goOn.countDown();
        Await.result(link.served());
        assertTrue(rig.host.loaded.remove().freed.isDone());
    }

    @Test
    void closeWhileTheShardIsMissingEndsTheWait() {
        link.outOfOrder(Optional.of("gone"));
        link.crash();
        Await.value("missing", shard::health, health -> health.loading().isPresent());
        CompletableFuture<Void> recovered = shard.recover();

        shard.close();

        assertInstanceOf(ShardLostException.class, Await.failure(recovered));
    }

    @Test
    void twoServersOfOneProcessHaveSeparateCaches() {
        PlainLink otherLink = rig.link(PlainLink.Transport.MEMORY);
        try (RemoteShard other = rig.open(otherLink, all, BoundaryType.F32)) {
            Await.result(forward(0, 1));

            Throwable refused = Await.failure(other.forward(batch(1, 2), Optional.empty()));

            VarveException reason = assertInstanceOf(VarveException.class, refused);
            assertEquals(VarveException.Kind.INVALID_REQUEST, reason.kind());
            otherLink.crash();
            Await.result(forward(1, 2));
            assertEquals(ShardHealth.ready(), shard.health());
        }
    }

    @Test
    void serverContinuesWhileAnotherOneHangs() {
        holdTheNextBatch();
        CompletableFuture<ShardResult> stuck = forward(0, 1);
        Await.latch(computing);
        rig.host.beforeBatch = batch -> {};

        try (RemoteShard other =
                rig.open(rig.link(PlainLink.Transport.MEMORY), all, BoundaryType.F32)) {
            Await.result(other.forward(batch(0, 1), Optional.empty()));
        }

        assertFalse(stuck.isDone());
        goOn.countDown();
        Await.result(stuck);
    }

    @Test
    void invalidResponseEndsTheProcess() {
        Await.result(forward(0, 1));
        rig.host.loaded.remove().silent = true;
        KeptParts kept = new KeptParts();

        Throwable lost = Await.failure(shard.export(rig.layout(all).states(1, 1), kept));

        assertEquals(List.of(), kept.all());
        assertInstanceOf(ShardLostException.class, lost);
        assertTrue(lost.getMessage().contains("its response is malformed"), lost::getMessage);
        Await.result(shard.recover());
        Await.result(forward(0, 1));
    }
}
