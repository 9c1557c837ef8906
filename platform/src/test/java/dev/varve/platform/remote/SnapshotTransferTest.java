package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.shard.SnapshotTensor;
import dev.varve.platform.wire.Call;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireChannel;
import dev.varve.platform.wire.WireCode;
import dev.varve.platform.wire.WireException;
import dev.varve.platform.wire.WireOptions;
import dev.varve.platform.wire.unix.UnixTransport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a server says to a shard process about snapshots; the test answers in the shard's place. */
@Timeout(60)
class SnapshotTransferTest {
    private static final int PIECES = 3;
    private static final SequencePlace PLACE =
            new SequencePlace(new SlotSpan(0, SlotSpan.BLOCK), 1, 1);
    private static final SequencePlace OTHER =
            new SequencePlace(new SlotSpan(SlotSpan.BLOCK, SlotSpan.BLOCK), 1, 2);

    @TempDir Path folder;
    private final SnapshotTransfer transfers = new SnapshotTransfer();
    private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    private WireChannel server;
    private WireChannel shard;

    private record Asked(Message request, Call call) {
        TransferId id() {
            FieldReader fields = new FieldReader(request.meta());
            if (request.type() == MessageType.SAVE || request.type() == MessageType.RESTORE_BEGIN) {
                SnapshotManifest.getPlace(fields);
            }
            return TransferId.get(fields);
        }

        void agree() {
            call.reply(Message.of(request.type()));
        }
    }

    @BeforeEach
    void connect() throws Exception {
        UnixTransport unix = new UnixTransport();
        String address = folder.resolve("own/socket").toString();
        try (Listener listener = unix.listen(address, TransportOptions.defaults())) {
            Connection client = unix.connect(address, TransportOptions.defaults());
            Connection accepted = listener.accept();
            CompletableFuture<WireChannel> accepting =
                    CompletableFuture.supplyAsync(
                            () ->
                                    WireChannel.accept(
                                            accepted,
                                            WireOptions.defaults(),
                                            (request, call) -> asked.add(new Asked(request, call))),
                            Thread::startVirtualThread);
            server = WireChannel.connect(client, WireOptions.defaults());
            shard = accepting.get(20, TimeUnit.SECONDS);
        }
    }

    @AfterEach
    void disconnect() {
        server.close();
        shard.close();
    }

    private static ShardSnapshot snapshot() {
        byte[] data = new byte[(PIECES - 1) * SnapshotPieces.BYTES + 4];
        return new ShardSnapshot(
                1,
                List.of(
                        new SnapshotTensor(
                                "k.0", GgmlType.F32, data.length / Float.BYTES, 1, data)));
    }

    private Asked next(int type) throws InterruptedException {
        Asked next = asked.poll(20, TimeUnit.SECONDS);
        assertTrue(next != null, "no message came, expected type " + type);
        assertEquals(type, next.request().type());
        return next;
    }

    private static VarveException failureOf(CompletableFuture<?> transfer) {
        ExecutionException failure =
                assertThrows(ExecutionException.class, () -> transfer.get(20, TimeUnit.SECONDS));
        return (VarveException) failure.getCause();
    }

    @Test
    void everyMessageOfARestoreHasItsId() throws Exception {
        CompletableFuture<Void> restore = transfers.restore(server, PLACE, snapshot());

        List<TransferId> ids = new ArrayList<>();
        List<Integer> types = new ArrayList<>();
        types.add(MessageType.RESTORE_BEGIN);
        for (int piece = 0; piece < PIECES; piece++) {
            types.add(MessageType.RESTORE_DATA);
        }
        types.add(MessageType.RESTORE_COMMIT);
        for (int type : types) {
            Asked message = next(type);
            ids.add(message.id());
            message.agree();
        }

        restore.get(20, TimeUnit.SECONDS);
        assertEquals(1, ids.stream().distinct().count(), ids.toString());
        assertEquals(TransferId.of(PLACE, ids.getFirst().generation()), ids.getFirst());
    }

    @Test
    void transfersThatAreUnderWayTogetherHaveIdsOfTheirOwn() throws Exception {
        transfers.restore(server, PLACE, snapshot());
        transfers.restore(server, OTHER, snapshot());
        transfers.save(server, PLACE, 100);

        Asked first = next(MessageType.RESTORE_BEGIN);
        Asked second = next(MessageType.RESTORE_BEGIN);
        Asked third = next(MessageType.SAVE);

        assertEquals(OTHER.slots().begin(), second.id().firstSlot());
        assertTrue(
                first.id().generation() < second.id().generation()
                        && second.id().generation() < third.id().generation(),
                first.id() + ", " + second.id() + ", " + third.id());
    }

    @Test
    void aRestoreOfWhichAPieceFailsIsAborted() throws Exception {
        CompletableFuture<Void> restore = transfers.restore(server, PLACE, snapshot());
        Asked begin = next(MessageType.RESTORE_BEGIN);
        begin.agree();
        next(MessageType.RESTORE_DATA).agree();

        next(MessageType.RESTORE_DATA)
                .call()
                .fail(new WireException(WireCode.OUT_OF_MEMORY, "no room"));

        assertEquals(VarveException.Kind.OUT_OF_MEMORY, failureOf(restore).kind());
        assertEquals(begin.id(), next(MessageType.RESTORE_ABORT).id());
    }

    @Test
    void aRestoreThatIsGivenUpIsAborted() throws Exception {
        CompletableFuture<Void> restore = transfers.restore(server, PLACE, snapshot());
        Asked begin = next(MessageType.RESTORE_BEGIN);
        begin.agree();
        Asked piece = next(MessageType.RESTORE_DATA);

        restore.cancel(true);
        piece.agree();

        Asked abort = next(MessageType.RESTORE_ABORT);
        assertEquals(begin.id(), abort.id());
        abort.agree();
        // Nothing of it follows: the next message is of the next transfer.
        transfers.restore(server, PLACE, snapshot());
        assertTrue(next(MessageType.RESTORE_BEGIN).id().generation() > begin.id().generation());
    }

    @Test
    void aSaveThatIsGivenUpIsCancelledThere() throws Exception {
        CompletableFuture<ShardSnapshot> save = transfers.save(server, PLACE, 100);
        Asked request = next(MessageType.SAVE);
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        request.call().onCancel(() -> cancelled.complete(null));

        save.cancel(true);

        cancelled.get(20, TimeUnit.SECONDS);
    }

    @Test
    void aSaveTakesNoBytesOfAnotherTransfer() throws Exception {
        CompletableFuture<ShardSnapshot> save = transfers.save(server, PLACE, 100);
        Asked request = next(MessageType.SAVE);
        TransferId foreign = TransferId.of(PLACE, request.id().generation() + 1);
        FieldWriter manifest = foreign.put(new FieldWriter());
        new SnapshotManifest(1, List.of()).put(manifest);

        request.call().progress(Message.of(MessageType.SAVE, manifest.done()));
        request.agree();

        VarveException failure = failureOf(save);
        assertTrue(
                failure.getMessage().contains("expected " + request.id() + ", found " + foreign),
                failure.getMessage());
    }
}
