package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KeptParts;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardResult;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * Parts of caches on their way from and to shards behind a connection, beyond what {@link
 * RemoteShardContractTest} asks.
 */
@Timeout(120)
class RemotePartsTest {
    private static final int BLOCK = RemoteRig.BLOCK;
    private static final int[] PROMPT = {5, 17, 3, 3, 60, 0, 22, 41, 9, 13, 28};

    /** So many rows of 32 bytes make 4 MiB, more than a frame of the stream with its neighbours. */
    private static final int ROUNDS = Effort.of(4, 10);

    private static final int MANY = 512 * BLOCK;

    @TempDir Path folder;
    private RemoteRig rig;
    private LayerRange all;

    @BeforeEach
    void open() throws Exception {
        open(PlainModel.mixed(BLOCK), 3 * BLOCK);
    }

    private void open(PlainModel model, int slots) throws Exception {
        rig = new RemoteRig(folder, model, slots);
        all = rig.model.shape().allLayers();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private RemoteShard shard(PlainLink.Transport transport, LayerRange range) {
        return rig.open(rig.link(transport), range, BoundaryType.F32);
    }

    private static KvSlotSpan span(int sequence) {
        return new KvSlotSpan(sequence * BLOCK, BLOCK);
    }

    /** All that a shard of some layers keeps of the prompt. */
    private List<CachePart> parts(LayerRange range, int sequence) {
        List<CachePart> parts =
                new ArrayList<>(rig.layout(range).rows(span(sequence), 0, PROMPT.length));
        parts.addAll(rig.layout(range).states(sequence + 1, PROMPT.length));
        return parts;
    }

    private static Batch batch(KvSlotSpan slots, int row, int first, int... tokens) {
        return new Batch(
                List.of(
                        new SequenceChunk(
                                row,
                                tokens,
                                ChunkPlacement.next(first, slots, row),
                                RequestedOutput.LAST)),
                Phase.PREFILL);
    }

    private static Batch prompt(int sequence) {
        return batch(span(sequence), sequence + 1, 0, PROMPT);
    }

    private static Batch next(int sequence) {
        return batch(span(sequence), sequence + 1, PROMPT.length, 7);
    }

    private static float[] logits(Shard shard, Batch batch) {
        ShardResult result = Await.result(shard.forward(batch, Optional.empty()));
        return Arrays.copyOf(result.logits(), 61);
    }

    @Test
    void remoteExportEqualsLocalExport() {
        try (RemoteShard remote = shard(PlainLink.Transport.UNIX, all);
                Shard local = rig.twin(all)) {
            logits(remote, prompt(0));
            logits(local, prompt(0));
            KeptParts there = new KeptParts();
            KeptParts here = new KeptParts();

            Await.result(remote.export(parts(all, 0), there));
            local.export(parts(all, 0), here).join();

            assertEqualParts(here, there);
        }
    }

    private static void assertEqualParts(KeptParts expected, KeptParts found) {
        assertEquals(expected.all().size(), found.all().size());
        for (int i = 0; i < expected.all().size(); i++) {
            assertArrayEquals(expected.all().get(i), found.all().get(i), "part " + i);
        }
    }

    @Test
    void stateOfASplitModelContinuesInAnotherSplit() {
        LayerRange head = new LayerRange(0, 3);
        LayerRange tail = new LayerRange(3, 4);
        try (PlainShard whole = rig.twin(all);
                RemoteShard first = shard(PlainLink.Transport.MEMORY, head);
                RemoteShard second = shard(PlainLink.Transport.MEMORY, tail)) {
            logits(whole, prompt(0));
            KeptParts headParts = new KeptParts();
            KeptParts tailParts = new KeptParts();
            whole.export(parts(head, 0), headParts).join();
            whole.export(parts(tail, 0), tailParts).join();
            float[] expected = logits(whole, next(0));

            Await.result(first.adopt(parts(head, 1), headParts));
            Await.result(second.adopt(parts(tail, 1), tailParts));

            ShardResult half = Await.result(first.forward(next(1), Optional.empty()));
            ShardResult found = Await.result(second.forward(next(1), half.boundary()));
            assertArrayEquals(expected, Arrays.copyOf(found.logits(), 61));
        }
    }

    @ParameterizedTest
    @EnumSource
    @ByDay(1)
    void manyLargePendingCallsCompleteInOrder(PlainLink.Transport transport) throws Exception {
        rig.close();
        open(PlainModel.attentionOnly(1, MANY), MANY);
        KvSlotSpan slots = new KvSlotSpan(0, MANY);
        List<CachePart> parts = rig.layout(all).rows(slots, 0, MANY);
        byte[] bytes = new byte[(int) parts.getFirst().bytes()];
        CountDownLatch held = new CountDownLatch(1);
        rig.host.beforeBatch = batch -> Await.latch(held);
        List<CompletableFuture<?>> calls = new ArrayList<>();
        List<KeptParts> given = new ArrayList<>();
        List<KeptParts> taken = new ArrayList<>();
        try (RemoteShard remote = shard(transport, all);
                Shard local = rig.twin(all)) {
            calls.add(remote.forward(batch(slots, 1, 0, PROMPT), Optional.empty()));
            for (int round = 0; round < ROUNDS; round++) {
                new Random(round).nextBytes(bytes);
                given.add(KeptParts.of(List.of(bytes.clone())));
                taken.add(new KeptParts());
                calls.add(remote.adopt(parts, given.get(round)));
                if (round % 2 == 1) {
                    calls.add(remote.forward(batch(slots, 1, 0, round), Optional.empty()));
                }
                calls.add(remote.export(parts, taken.get(round)));
            }
            held.countDown();
            calls.forEach(Await::result);

            for (int round = 0; round < ROUNDS; round++) {
                KeptParts expected = new KeptParts();
                local.adopt(parts, given.get(round)).join();
                if (round % 2 == 1) {
                    local.forward(batch(slots, 1, 0, round), Optional.empty()).join();
                }
                local.export(parts, expected).join();
                assertEqualParts(expected, taken.get(round));
            }
        }
    }

    @Test
    void partsOfOtherLayersAreRefusedRemotely() {
        try (RemoteShard remote = shard(PlainLink.Transport.MEMORY, new LayerRange(0, 3))) {
            List<CachePart> parts = parts(all, 0);

            for (CompletableFuture<Void> call :
                    List.of(
                            remote.export(parts, new KeptParts()),
                            remote.adopt(parts, KeptParts.zeros(parts)))) {
                VarveException reason = assertInstanceOf(VarveException.class, Await.failure(call));

                assertEquals(VarveException.Kind.INVALID_REQUEST, reason.kind());
                assertEquals("layer: expected 0 to 2, found 3", reason.getMessage());
            }
            assertEquals(ShardHealth.ready(), remote.health());
        }
    }

    @Test
    void oversizedTransferIsRefusedBeforeAnythingIsSent() {
        CachePart large = new CachePart.State(1, List.of(1L << 25), 1, 1);
        KeptParts untouched = new KeptParts();
        try (RemoteShard remote = shard(PlainLink.Transport.MEMORY, all)) {
            for (CompletableFuture<Void> call :
                    List.of(
                            remote.export(List.of(large), untouched),
                            remote.adopt(List.of(large), untouched))) {
                assertTrue(call.isDone());
                VarveException reason = assertInstanceOf(VarveException.class, Await.failure(call));
                assertEquals(VarveException.Kind.INVALID_REQUEST, reason.kind());
            }
        }
    }

    @Test
    void failingCallerBufferFailsItsCallOnly() {
        CachePartCallback broken =
                new CachePartCallback() {
                    @Override
                    public void accept(int index, ByteBuffer bytes) {
                        throw new IllegalStateException("no room");
                    }

                    @Override
                    public void give(int index, ByteBuffer target) {
                        target.put((byte) 1);
                    }
                };
        try (RemoteShard remote = shard(PlainLink.Transport.MEMORY, all)) {
            float[] expected = logits(remote, prompt(0));

            Throwable untaken = Await.failure(remote.export(parts(all, 0), broken));
            IllegalArgumentException incomplete =
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> remote.adopt(parts(all, 0), broken));

            assertTrue(untaken.getMessage().contains("no room"), untaken::getMessage);
            assertTrue(
                    incomplete.getMessage().endsWith(" bytes of part 0 are missing"),
                    incomplete::getMessage);
            assertEquals(ShardHealth.ready(), remote.health());
            assertArrayEquals(expected, logits(remote, prompt(0)));
        }
    }
}
