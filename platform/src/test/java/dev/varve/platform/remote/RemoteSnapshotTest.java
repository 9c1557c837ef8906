package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlicePlace;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.shard.SnapshotTensor;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** Snapshots on their way from and to a shard behind a connection. */
@Timeout(120)
class RemoteSnapshotTest {
    private static final int BLOCK = RemoteRig.BLOCK;
    private static final int[] PROMPT = {5, 17, 3, 3, 60, 0, 22, 41, 9, 13, 28};

    @TempDir Path folder;
    private RemoteRig rig;
    private LayerRange all;

    @BeforeEach
    void open() throws Exception {
        rig = new RemoteRig(folder, PlainModel.mixed(BLOCK), 3 * BLOCK);
        all = rig.model.shape().allLayers();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private static SlotSpan span(int sequence) {
        return new SlotSpan(sequence * BLOCK, BLOCK);
    }

    private static SequencePlace place(int sequence) {
        return new SequencePlace(span(sequence), PROMPT.length, sequence + 1);
    }

    private static Batch prompt(int sequence) {
        return batch(sequence, 0, PROMPT);
    }

    private static Batch next(int sequence) {
        return batch(sequence, PROMPT.length, new int[] {7});
    }

    private static Batch batch(int sequence, int first, int[] tokens) {
        return new Batch(
                List.of(
                        new Slice(
                                sequence,
                                tokens,
                                new SlicePlace(
                                        first,
                                        span(sequence),
                                        first == 0 ? Slice.ZERO_ROW : sequence + 1,
                                        sequence + 1),
                                OutputRows.LAST)),
                Phase.PREFILL);
    }

    private static float[] logits(Shard shard, Batch batch) {
        ShardResult result = Await.result(shard.forward(batch, Optional.empty()));
        return Arrays.copyOf(result.logits(), 61);
    }

    private static void assertEqualSnapshots(ShardSnapshot expected, ShardSnapshot found) {
        assertEquals(expected.tokens(), found.tokens());
        assertEquals(expected.tensors().size(), found.tensors().size());
        for (int i = 0; i < expected.tensors().size(); i++) {
            SnapshotTensor mine = expected.tensors().get(i);
            SnapshotTensor theirs = found.tensors().get(i);
            assertEquals(mine.name(), theirs.name());
            assertEquals(mine.length() + "x" + mine.rows(), theirs.length() + "x" + theirs.rows());
            assertArrayEquals(mine.data(), theirs.data(), mine.name());
        }
    }

    @Test
    void whatIsSavedThereIsWhatIsSavedHere() {
        try (RemoteShard remote =
                        rig.open(rig.link(PlainLink.Transport.UNIX), all, BoundaryType.F32);
                Shard local = rig.twin(all)) {
            logits(remote, prompt(0));
            logits(local, prompt(0));

            ShardSnapshot found = Await.result(remote.save(place(0)));

            assertEqualSnapshots(local.save(place(0)).join(), found);
        }
    }

    @Test
    void aRestoredSequenceGoesOnWithTheSameBitsInAnotherShardAndPlace() {
        try (RemoteShard first =
                        rig.open(rig.link(PlainLink.Transport.MEMORY), all, BoundaryType.F32);
                RemoteShard second =
                        rig.open(rig.link(PlainLink.Transport.MEMORY), all, BoundaryType.F32)) {
            logits(first, prompt(0));
            ShardSnapshot saved = Await.result(first.save(place(0)));
            float[] expected = logits(first, next(0));

            Await.result(second.restore(place(2), saved));

            assertArrayEquals(expected, logits(second, next(2)));
        }
    }

    @Test
    void aSnapshotThatDoesNotFitIsRefusedAndChangesNothing() {
        try (RemoteShard remote =
                rig.open(rig.link(PlainLink.Transport.MEMORY), all, BoundaryType.F32)) {
            logits(remote, prompt(0));
            ShardSnapshot saved = Await.result(remote.save(place(0)));
            List<SnapshotTensor> wrong = new ArrayList<>(saved.tensors());
            SnapshotTensor last = wrong.removeLast();
            wrong.add(
                    new SnapshotTensor(
                            "other", last.type(), last.length(), last.rows(), last.data()));

            Throwable refused =
                    Await.failure(
                            remote.restore(place(0), new ShardSnapshot(saved.tokens(), wrong)));

            VarveException reason = (VarveException) refused;
            assertEquals(VarveException.Kind.INVALID_REQUEST, reason.kind());
            assertTrue(reason.getMessage().contains("expected a tensor"), reason::getMessage);
            assertEqualSnapshots(saved, Await.result(remote.save(place(0))));
            assertEquals(ShardHealth.ready(), remote.health());
        }
    }

    @Test
    void aPlaceThatNothingWasWrittenToCannotBeSaved() {
        try (RemoteShard remote =
                rig.open(rig.link(PlainLink.Transport.MEMORY), all, BoundaryType.F32)) {
            Throwable refused = Await.failure(remote.save(place(1)));

            assertTrue(refused.getMessage().contains("slot 256 is read"), refused::getMessage);
            assertEquals(ShardHealth.ready(), remote.health());
        }
    }

    /** A rig whose snapshots are larger than one message, and one of them. */
    private RemoteRig large() throws Exception {
        rig.close();
        rig = new RemoteRig(folder, PlainModel.attentionOnly(1, LARGE), 2 * LARGE);
        all = rig.model.shape().allLayers();
        return rig;
    }

    /** So many rows of 16 bytes make more than two pieces. */
    private static final int LARGE = 2304 * BLOCK;

    private static SequencePlace largePlace(int sequence) {
        return new SequencePlace(new SlotSpan(sequence * LARGE, LARGE), LARGE - 3, sequence + 1);
    }

    private static ShardSnapshot largeSnapshot(long seed) {
        Random random = new Random(seed);
        List<SnapshotTensor> tensors = new ArrayList<>();
        for (String name : List.of("k.0", "v.0")) {
            byte[] data = new byte[(LARGE - 3) * 4 * Float.BYTES];
            random.nextBytes(data);
            tensors.add(new SnapshotTensor(name, GgmlType.F32, 4, LARGE - 3, data));
        }
        return new ShardSnapshot(LARGE - 3, tensors);
    }

    @Test
    void largeSnapshotsOfTwoSequencesTravelInPiecesBesideEachOther() throws Exception {
        RemoteRig large = large();
        ShardSnapshot one = largeSnapshot(1);
        ShardSnapshot other = largeSnapshot(2);
        assertTrue(one.bytes() > 4L * SnapshotPieces.BYTES, "pieces of " + one.bytes());
        try (RemoteShard remote =
                large.open(large.link(PlainLink.Transport.UNIX), all, BoundaryType.F32)) {
            CompletableFuture<Void> first = remote.restore(largePlace(0), one);
            CompletableFuture<Void> second = remote.restore(largePlace(1), other);
            Await.result(first);
            Await.result(second);

            CompletableFuture<ShardSnapshot> savedOne = remote.save(largePlace(0));
            CompletableFuture<ShardSnapshot> savedOther = remote.save(largePlace(1));

            assertEqualSnapshots(other, Await.result(savedOther));
            assertEqualSnapshots(one, Await.result(savedOne));
        }
    }

    @Test
    void aRestoreThatIsGivenUpInTheMiddleLeavesRoomForTheNext() throws Exception {
        RemoteRig large = large();
        CountDownLatch held = new CountDownLatch(1);
        large.host.beforeBatch = batch -> Await.latch(held);
        try (RemoteShard remote =
                large.open(large.link(PlainLink.Transport.MEMORY), all, BoundaryType.F32)) {
            // The process computes, so that the restore waits for it with its first message.
            CompletableFuture<ShardResult> busy =
                    remote.forward(batch(0, 0, PROMPT), Optional.empty());
            CompletableFuture<Void> restore = remote.restore(largePlace(0), largeSnapshot(1));

            assertTrue(restore.cancel(true));
            held.countDown();

            Await.result(busy);
            // The staged bytes of both would not fit at once.
            ShardSnapshot again = largeSnapshot(2);
            Await.result(remote.restore(largePlace(0), again));
            assertEqualSnapshots(again, Await.result(remote.save(largePlace(0))));
        }
    }

    @Test
    void aSnapshotLargerThanTheCachesIsRefusedBeforeItsBytesCome() {
        try (RemoteShard remote =
                rig.open(rig.link(PlainLink.Transport.MEMORY), all, BoundaryType.F32)) {
            long caches = remote.memory().kv();
            long sent = remote.traffic().orElseThrow().sentBytes();

            Throwable refused = Await.failure(remote.restore(place(0), largeSnapshot(1)));

            assertTrue(
                    refused.getMessage().contains("at most " + caches + " bytes"),
                    refused::getMessage);
            long more = remote.traffic().orElseThrow().sentBytes() - sent;
            assertTrue(more < SnapshotPieces.BYTES, more + " bytes were sent");
        }
    }

    @Test
    void aRestoreBesideOneIntoTheSamePlaceIsRefused() throws Exception {
        RemoteRig large = large();
        ShardSnapshot snapshot = largeSnapshot(1);
        CountDownLatch held = new CountDownLatch(1);
        large.host.beforeBatch = batch -> Await.latch(held);
        try (RemoteShard remote =
                large.open(large.link(PlainLink.Transport.MEMORY), all, BoundaryType.F32)) {
            // Both begin before the process looks at either.
            remote.forward(batch(0, 0, PROMPT), Optional.empty());
            CompletableFuture<Void> first = remote.restore(largePlace(0), snapshot);
            CompletableFuture<Void> second = remote.restore(largePlace(0), snapshot);
            held.countDown();

            Throwable refused = Await.failure(second);

            assertTrue(
                    refused.getMessage().contains("its place is being restored"),
                    refused::getMessage);
            Await.result(first);
            assertEqualSnapshots(snapshot, Await.result(remote.save(largePlace(0))));
        }
    }

    @Test
    void theStateOfASplitModelIsRestoredOntoAnotherSplit() {
        LayerRange head = new LayerRange(0, 3);
        LayerRange tail = new LayerRange(3, 4);
        try (PlainShard whole = rig.twin(all);
                RemoteShard first =
                        rig.open(rig.link(PlainLink.Transport.MEMORY), head, BoundaryType.F32);
                RemoteShard second =
                        rig.open(rig.link(PlainLink.Transport.MEMORY), tail, BoundaryType.F32)) {
            logits(whole, prompt(0));
            ShardSnapshot saved = whole.save(place(0)).join();
            float[] expected = logits(whole, next(0));

            Await.result(first.restore(place(1), of(saved, head)));
            Await.result(second.restore(place(1), of(saved, tail)));

            ShardResult half = Await.result(first.forward(next(1), Optional.empty()));
            ShardResult found = Await.result(second.forward(next(1), half.boundary()));
            assertArrayEquals(expected, Arrays.copyOf(found.logits(), 61));
        }
    }

    /** The tensors of a range's layers. */
    private static ShardSnapshot of(ShardSnapshot all, LayerRange range) {
        return new ShardSnapshot(
                all.tokens(),
                all.tensors().stream()
                        .filter(
                                tensor ->
                                        range.contains(
                                                Integer.parseInt(
                                                        tensor.name()
                                                                .substring(
                                                                        tensor.name().indexOf('.')
                                                                                + 1))))
                        .toList());
    }
}
