package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** A session of a shard process, message by message, honest ones and others. */
@Timeout(120)
class ShardSessionTest {
    private static final int BLOCK = KvSlotSpan.BLOCK;
    private static final LayerRange TAIL = new LayerRange(1, 4);

    @TempDir Path folder;
    private RemoteRig rig;
    private ShardSession service;
    private ShardLoadRequest load;

    @BeforeEach
    void open() throws Exception {
        rig = new RemoteRig(folder, PlainModel.mixed(BLOCK), 2 * BLOCK);
        service = new ShardSession(rig.host, rig.host);
        load = rig.request(TAIL, BoundaryType.F32);
    }

    @AfterEach
    void close() {
        service.close();
        rig.close();
    }

    private Answer ask(Message request) {
        return Answer.of(service, request);
    }

    private void loadTail() {
        ask(load.encode()).result();
    }

    private static ShardLoadRequest with(ShardLoadRequest request, ShardLoadRequest.Device device) {
        return new ShardLoadRequest(
                request.model(), request.range(), request.shard(), device, request.boundaryType());
    }

    private static SequenceChunk chunk(
            int sequence, int first, int count, RequestedOutput outputs) {
        int[] tokens = new int[count];
        Arrays.setAll(tokens, i -> (first + 7 * i) % 61);
        int row = sequence + 1;
        return new SequenceChunk(
                sequence,
                tokens,
                new ChunkPlacement(
                        first,
                        new KvSlotSpan(sequence * BLOCK, BLOCK),
                        first == 0 ? SequenceChunk.ZERO_ROW : row,
                        row),
                outputs);
    }

    private Message forward(
            List<KvSlotCopy> copies, List<Integer> captures, SequenceChunk... chunks) {
        Batch batch =
                new Batch(CacheChanges.copies(copies), List.of(chunks), Phase.PREFILL, captures);
        float[] values = new float[batch.tokens() * rig.model.boundaryLength(TAIL.begin())];
        SplittableRandom random = new SplittableRandom(values.length);
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        Optional<LayerActivations> boundary =
                Optional.of(new HostActivations(values, batch.tokens()));
        return HostedShard.batchCodec(rig.model, TAIL, BoundaryType.F32).encode(batch, boundary);
    }

    private Message begin() {
        return forward(List.of(), List.of(), chunk(0, 0, 9, RequestedOutput.ALL));
    }

    @Test
    void computeBeforeALoadIsRefused() {
        for (Message request : List.of(begin(), Message.of(MessageType.EXPORT))) {
            WireException refusal = ask(request).failure();

            assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
            assertEquals("no range is loaded", refusal.getMessage());
        }
    }

    @Test
    void unknownMessageIsUnsupportedAndTheSessionContinues() {
        WireException refusal = ask(Message.of(200)).failure();

        assertEquals(WireErrorCode.UNSUPPORTED, refusal.code());
        loadTail();
    }

    @Test
    void devicesOfTheProcessAreDescribed() {
        FieldReader fields = new FieldReader(ask(Message.of(MessageType.DESCRIBE)).result().meta());

        assertEquals(1, fields.number("devices", 0, 9));
        assertEquals(PlainHost.DEVICE, fields.text("name", 99));
        assertEquals("plain loops", fields.text("description", 99));
        assertEquals(1L << 30, fields.number("memory", 0L, Long.MAX_VALUE));
        assertEquals(1L << 29, fields.number("free memory", 0L, Long.MAX_VALUE));
        assertTrue(fields.flag("host cores"));
        fields.end();
    }

    @Test
    void missingDeviceIsUnavailable() {
        ShardLoadRequest elsewhere =
                with(load, new ShardLoadRequest.Device("gpu:7", DeviceOptions.automatic()));

        WireException refusal = ask(elsewhere.encode()).failure();

        assertEquals(WireErrorCode.UNAVAILABLE, refusal.code());
        assertEquals("gpu:7: this shard has no such device", refusal.getMessage());
    }

    @Test
    void anotherLoadFreesTheFormerRangeFirst() {
        loadTail();
        PlainHost.Loaded former = rig.host.loaded.remove();
        PlainDevice device = rig.host.opened.remove();
        boolean[] freed = new boolean[1];
        rig.host.halfLoaded = () -> freed[0] = former.freed.isDone() && device.closed().isDone();

        loadTail();

        assertTrue(freed[0], "both were held at once");
    }

    @Test
    void cancelledLoadFreesItsDevice() {
        Answer answer = new Answer();
        rig.host.halfLoaded = answer::cancel;

        service.handle(load.encode(), answer);

        assertEquals(WireErrorCode.CANCELLED, answer.failure().code());
        assertEquals(WireException.Retry.WORTHWHILE, answer.failure().retry());
        assertTrue(rig.host.opened.remove().closed().isDone());
        assertEquals("no range is loaded", ask(begin()).failure().getMessage());
    }

    @Test
    void unexpectedLoadFailureIsReportedAndFreesItsDevice() {
        rig.host.halfLoaded =
                () -> {
                    throw new AssertionError("a bug");
                };

        WireException failure = ask(load.encode()).failure();

        assertEquals(WireErrorCode.INTERNAL, failure.code());
        assertTrue(rig.host.opened.remove().closed().isDone());
        rig.host.halfLoaded = () -> {};
        loadTail();
    }

    @Test
    void unloadedRangeIsFreed() {
        loadTail();

        ask(Message.of(MessageType.UNLOAD)).result();

        assertTrue(rig.host.loaded.remove().freed.isDone());
        assertEquals("no range is loaded", ask(begin()).failure().getMessage());
    }

    @Test
    void requestCancelledBeforeItsStartIsNotComputed() {
        loadTail();
        boolean[] computed = new boolean[1];
        rig.host.beforeBatch = batch -> computed[0] = true;
        Answer answer = new Answer();
        answer.cancel();

        service.handle(begin(), answer);

        assertEquals(WireErrorCode.CANCELLED, answer.failure().code());
        assertFalse(computed[0]);
    }

    @Test
    void shardErrorReachesTheServer() {
        loadTail();
        rig.host.loaded.element().lose("pulled out");

        WireException failure = ask(begin()).failure();

        assertEquals(WireErrorCode.UNAVAILABLE, failure.code());
        assertTrue(failure.getMessage().contains("pulled out"), failure::getMessage);
    }

    @Test
    void progressCounterGrowsWithEveryRequestAndLoadPiece() {
        long before = service.progress();

        loadTail();
        long loaded = service.progress();
        ask(begin()).result();

        // Two for the request's begin and end, and one for each report.
        assertEquals(before + 4, loaded);
        assertEquals(loaded + 2, service.progress());
    }

    @Test
    void batchForAnotherRangeIsRefused() {
        loadTail();
        Batch batch = new Batch(List.of(chunk(0, 0, 9, RequestedOutput.BEST)), Phase.PREFILL);
        Message withoutActivation =
                HostedShard.batchCodec(rig.model, TAIL, BoundaryType.F32)
                        .encode(batch, Optional.empty());
        Message short16 =
                HostedShard.batchCodec(rig.model, TAIL, BoundaryType.F16)
                        .encode(batch, Optional.of(new HostActivations(new float[72], 9)));

        for (Message wrong : List.of(withoutActivation, short16)) {
            WireException refusal = ask(wrong).failure();

            assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
            assertTrue(refusal.getMessage().contains("activation"), refusal::getMessage);
        }
    }

    @Test
    void closedSessionFreesItsRangeAndRefusesRequests() {
        loadTail();

        service.close();

        assertTrue(rig.host.loaded.remove().freed.isDone());
        boolean[] ran = new boolean[1];
        service.execute(() -> ran[0] = true);
        assertFalse(ran[0]);
    }

    /** Valid messages, of which a hostile server changes bytes. */
    private List<Message> valid() {
        List<Message> valid = new ArrayList<>();
        valid.add(begin());
        valid.add(forward(List.of(), List.of(), chunk(0, 9, 1, RequestedOutput.BEST)));
        valid.add(forward(List.of(), List.of(2, 4), chunk(1, 0, 5, RequestedOutput.LAST)));
        valid.add(
                forward(
                        List.of(new KvSlotCopy(0, BLOCK, 9), new KvSlotCopy(BLOCK, 0, 3)),
                        List.of(),
                        chunk(0, 10, 1, RequestedOutput.LAST),
                        chunk(1, 5, 2, RequestedOutput.NONE)));
        valid.add(export());
        valid.add(
                new Message(
                        MessageType.ADOPT,
                        export().meta(),
                        ByteBuffer.allocate(
                                (int) parts().stream().mapToLong(CachePart::bytes).sum())));
        valid.add(load.encode());
        return valid;
    }

    @Test
    void everyMessageOfAHostileServerGetsAResponse() {
        SplittableRandom random = new SplittableRandom(4711);
        Mutations mutations = new Mutations(random, 2 * BLOCK);
        loadTail();
        byte[] before = bytes(ask(begin()).result().payload());
        List<Message> valid = valid();
        int accepted = 0;

        for (int i = 0; i < MUTATIONS; i++) {
            Message mutated = mutations.of(valid.get(random.nextInt(valid.size())));
            accepted += ask(mutated).succeeded() ? 1 : 0;
        }

        assertTrue(accepted > MUTATIONS / 100, "only " + accepted + " were accepted");
        assertTrue(accepted < MUTATIONS * 9 / 10, accepted + " were accepted");
        loadTail();
        assertArrayEquals(before, bytes(ask(begin()).result().payload()));
    }

    private static final int MUTATIONS = 4_000 * Integer.getInteger("varve.test.soak", 1);

    /** The parts of the sequence in the first slots. */
    private List<CachePart> parts() {
        List<CachePart> parts =
                new ArrayList<>(rig.layout(TAIL).rows(new KvSlotSpan(0, BLOCK), 0, 9));
        parts.addAll(rig.layout(TAIL).states(1, 9));
        return parts;
    }

    private Message export() {
        return Message.of(MessageType.EXPORT, new CachePartCodec(TAIL).encode(parts()));
    }

    private Message adopt(Message exported) {
        return new Message(MessageType.ADOPT, export().meta(), exported.payload());
    }

    @Test
    void refusedImportChangesNothing() {
        loadTail();
        ask(begin()).result();
        Message exported = ask(export()).result();
        Mutations mutations = new Mutations(new SplittableRandom(4712), 2 * BLOCK);
        int adopted = 0;

        for (int i = 0; i < ADOPTIONS; i++) {
            if (ask(mutations.of(adopt(exported))).succeeded()) {
                adopted++;
                ask(adopt(exported)).result();
            }
            Message found = ask(export()).result();
            assertEquals(exported.payload(), found.payload(), "after mutation " + i);
        }

        assertTrue(adopted > 0 && adopted < ADOPTIONS, adopted + " were adopted");
    }

    private static final int ADOPTIONS = 1_000 * Integer.getInteger("varve.test.soak", 1);

    @Test
    void importWithMismatchedBytesIsRefused() {
        loadTail();
        int bytes = 9 * 2 * 4 * Float.BYTES;

        for (int found : new int[] {0, bytes - 1, bytes + 1}) {
            WireException refusal =
                    ask(new Message(
                                    MessageType.ADOPT,
                                    new CachePartCodec(TAIL)
                                            .encode(
                                                    rig.layout(TAIL)
                                                            .rows(new KvSlotSpan(0, BLOCK), 0, 9)),
                                    ByteBuffer.allocate(found)))
                            .failure();

            assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
            assertEquals(
                    "parts: expected " + bytes + " bytes, found " + found, refusal.getMessage());
        }
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** Messages with some of their bytes changed, cut off or added. */
    private record Mutations(SplittableRandom random, int slots) {
        Message of(Message message) {
            int place = random.nextInt(10);
            byte[] meta = bytes(message.meta());
            byte[] payload = bytes(message.payload());
            return new Message(
                    message.type(),
                    ByteBuffer.wrap(place < 7 ? changed(meta) : meta),
                    ByteBuffer.wrap(place > 4 ? changed(payload) : payload));
        }

        private byte[] changed(byte[] given) {
            int[] edges = {
                0, 1, -1, 255, 256, 257, slots, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x7fc00000
            };
            byte[] bytes = given.clone();
            for (int change = random.nextInt(1, 4); change > 0 && bytes.length > 0; change--) {
                int at = random.nextInt(bytes.length);
                switch (random.nextInt(6)) {
                    case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                    case 1 -> bytes[at] = (byte) random.nextInt();
                    case 2 -> put(bytes, at & ~3, random.nextInt(-2, 600));
                    case 3 -> put(bytes, at & ~3, edges[random.nextInt(edges.length)]);
                    case 4 -> bytes = Arrays.copyOf(bytes, at);
                    default -> bytes = Arrays.copyOf(bytes, bytes.length + at % 9);
                }
            }
            return bytes;
        }

        private static void put(byte[] bytes, int at, int value) {
            if (at + Integer.BYTES <= bytes.length) {
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(at, value);
            }
        }
    }
}
