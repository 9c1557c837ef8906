package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.RowRun;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.wire.CallResponder;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireException;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.plugin.laguna.LagunaFamily;
import dev.varve.testkit.LagunaModel;

import org.junit.jupiter.api.BeforeAll;
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
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Messages whose bytes were changed reach a session with a loaded range: each one is answered, and
 * none reaches ggml with anything that it would answer with the end of the process.
 */
@Timeout(300)
class HostileMessageTest {
    private static final int SOAK = Integer.getInteger("varve.test.soak", 1);

    /** The first of those that a long run tries. */
    private static final int MUTATIONS = SOAK > 1 ? 60_000 * SOAK : 6_000;

    private static final int LOADS = SOAK > 1 ? 1_000 * SOAK : 120;
    private static final int SLOTS = 512;
    private static final int ROWS = 4;

    /** A page that stays in host memory unless a spoilt message drops it. */
    private static final long KEPT = 31;

    @TempDir static Path folder;
    private static LagunaHost host;

    /** One model, one device, as in a process of its own. */
    private record LagunaHost(DeviceBackend backend, Path path, LagunaModel spec)
            implements ShardResources {
        private static final ModelFamilyProvider FAMILY = new LagunaFamily();

        @Override
        public List<DeviceInfo> devices() {
            return backend.devices();
        }

        @Override
        public ComputeDevice open(String device, DeviceOptions options) {
            if (!device.equals("cpu:0")) {
                throw FieldReader.invalid("device", "cpu:0", device);
            }
            return backend.open(0, new DeviceOptions(OptionalInt.of(1), OptionalInt.empty(), true));
        }

        @Override
        public GgufFile model(String name) {
            return GgufFile.open(path);
        }

        @Override
        public TensorDigests digests() {
            return TensorDigests.cachedIn(folder);
        }

        @Override
        public LayerSplitAdapter adapter(GgufFile file, ModelOptions options) {
            return FAMILY.open(file, options);
        }
    }

    /** The answer to one request. */
    private static final class Reply implements CallResponder {
        private final CompletableFuture<Message> end = new CompletableFuture<>();

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void onCancel(Runnable action) {
            // Nobody cancels.
        }

        @Override
        public void progress(Message message) {
            // Of loading, which nobody watches.
        }

        @Override
        public void reply(Message result) {
            end.complete(result);
        }

        @Override
        public void fail(WireException error) {
            end.completeExceptionally(error);
        }
    }

    @BeforeAll
    static void open() throws Exception {
        // With windows, experts and a boundary: everything that a message can address.
        LagunaModel spec = LagunaModel.odd(1);
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        host =
                new LagunaHost(
                        new CpuBackendProvider()
                                .open(new BackendOptions(natives, Optional.of(natives), false)),
                        spec.write(folder),
                        spec);
    }

    private static Optional<Message> ask(ShardSession service, Message request) throws Exception {
        Reply reply = new Reply();
        service.handle(request, reply);
        try {
            return Optional.of(reply.end.get(60, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            assertTrue(e.getCause() instanceof WireException, () -> "failed with " + e.getCause());
            return Optional.empty();
        }
    }

    /** Valid requests of a server that has loaded the second half of the model. */
    private static final class Requests {
        private final SplittableRandom random = new SplittableRandom(4711);
        private final LayerSplitAdapter adapter;
        private final LayerRange range;
        private final ShardLoadRequest load;
        private final List<Message> valid = new ArrayList<>();

        Requests() {
            GgufFile file = host.model("");
            adapter = host.adapter(file, ModelOptions.defaults());
            int layers = adapter.shape().layerCount();
            range = new LayerRange(layers / 2, layers);
            CacheTypes types = CacheTypes.f16();
            int region = CacheUnitBytes.of(adapter.shape(), range, types, 128, SLOTS).regionSlots();
            load =
                    new ShardLoadRequest(
                            ShardLoadRequest.Model.of(file, adapter, ModelOptions.defaults()),
                            range,
                            ShardOptions.of(
                                            types,
                                            new CacheCapacities(
                                                    SLOTS,
                                                    ROWS,
                                                    region,
                                                    new RollbackBufferSizes(2, 4)))
                                    .withCaptures(List.of(range.begin() + 1, layers))
                                    .scoringPages(),
                            new ShardLoadRequest.Device(
                                    "cpu:0",
                                    new DeviceOptions(
                                            OptionalInt.of(1), OptionalInt.empty(), true)),
                            BoundaryType.F32);
            valid.add(forward(Phase.PREFILL, List.of(), chunk(0, 9, 0, RequestedOutput.NONE)));
            valid.add(forward(Phase.DECODE, List.of(), chunk(9, 1, 0, RequestedOutput.BEST)));
            valid.add(
                    forward(
                            Phase.PREFILL,
                            List.of(range.begin() + 1, layers),
                            chunk(0, 5, 256, RequestedOutput.ALL)));
            valid.add(
                    forward(
                            Phase.DECODE,
                            List.of(),
                            chunk(10, 1, 0, RequestedOutput.LAST),
                            chunk(5, 1, 256, RequestedOutput.BEST)));
            valid.add(
                    forward(
                            CacheChanges.copies(
                                    List.of(new KvSlotCopy(0, 256, 11), new KvSlotCopy(256, 0, 3))),
                            Phase.DECODE,
                            List.of(),
                            chunk(11, 1, 0, RequestedOutput.BEST)));
            SequenceChunk drafted = chunk(6, 3, 256, RequestedOutput.ALL);
            ChunkPlacement place =
                    new ChunkPlacement(
                            6, drafted.slots(), drafted.readRow(), drafted.writeRow(), 1);
            valid.add(
                    forward(
                            Phase.DECODE,
                            List.of(),
                            new SequenceChunk(256, drafted.tokens(), place, RequestedOutput.ALL)));
            valid.add(
                    forward(
                            new CacheChanges(List.of(new StateCommit(1, 2, 2, 6, 2)), List.of()),
                            Phase.DECODE,
                            List.of(),
                            chunk(8, 1, 256, RequestedOutput.BEST)));
            valid.add(paged());
            valid.add(
                    CacheChangeCodec.encode(
                            new CacheChanges(
                                    List.of(),
                                    List.of(
                                            PageMove.out(KEPT, 0),
                                            PageMove.in(KEPT, 448),
                                            new KvSlotCopy(448, 64, Pages.TOKENS),
                                            new HostPageFree(KEPT + 1)))));
            CacheLayout layout = CacheLayout.of(adapter.shape(), range, types, region);
            List<CachePart> parts =
                    new ArrayList<>(layout.rows(new KvSlotSpan(0, KvSlotSpan.BLOCK), 0, 11));
            parts.addAll(layout.states(1, 11));
            layout.rows(List.of(RowRun.onHost(70, 9, KEPT))).forEach(parts::addAll);
            valid.add(Message.of(MessageType.EXPORT, new CachePartCodec(range).encode(parts)));
        }

        /** Pages go and come, lie in another order, and are asked for. */
        private Message paged() {
            SequenceChunk straight = chunk(70, 2, 256, RequestedOutput.BEST);
            ChunkPlacement place =
                    new ChunkPlacement(
                            70,
                            straight.slots(),
                            2,
                            2,
                            ChunkPlacement.NO_ROLLBACK_BUFFER,
                            SlotPositionMap.of(new int[] {1, SlotPositionMap.EMPTY, 0, 2}));
            CacheChanges changes =
                    new CacheChanges(
                            List.of(),
                            List.of(
                                    PageMove.out(21, 256),
                                    PageMove.out(22, 384),
                                    PageMove.in(21, 384),
                                    new HostPageFree(22)));
            PageQuery query =
                    new PageQuery(
                            0,
                            List.of(
                                    new PageQuery.PagePlace(21, PageQuery.PagePlace.ON_HOST),
                                    new PageQuery.PagePlace(23, 384)));
            return message(
                    new Batch(
                            changes,
                            List.of(
                                    new SequenceChunk(
                                            256, straight.tokens(), place, RequestedOutput.BEST)),
                            Phase.DECODE,
                            List.of(),
                            List.of(query)));
        }

        private SequenceChunk chunk(int position, int count, int slot, RequestedOutput outputs) {
            int row = slot == 0 ? 1 : 2;
            return new SequenceChunk(
                    slot,
                    host.spec().randomTokens(count, position),
                    ChunkPlacement.next(position, new KvSlotSpan(slot, KvSlotSpan.BLOCK), row),
                    outputs);
        }

        private Message forward(Phase phase, List<Integer> captures, SequenceChunk... chunks) {
            return forward(CacheChanges.NONE, phase, captures, chunks);
        }

        private Message forward(
                CacheChanges changes,
                Phase phase,
                List<Integer> captures,
                SequenceChunk... chunks) {
            return message(new Batch(changes, List.of(chunks), phase, captures));
        }

        private Message message(Batch batch) {
            float[] values = new float[batch.tokens() * adapter.boundaryLength(range.begin())];
            SplittableRandom fixed = new SplittableRandom(values.length);
            for (int i = 0; i < values.length; i++) {
                values[i] = (float) fixed.nextGaussian();
            }
            return HostedShard.batchCodec(adapter, range, BoundaryType.F32)
                    .encode(batch, Optional.of(new HostActivations(values, batch.tokens())));
        }

        /**
         * Adds the message that puts back what the last one copies out; the one before brings a
         * page to the host of which that copies some.
         */
        void addAdoption(ShardSession service) throws Exception {
            ask(service, valid.get(valid.size() - 2)).orElseThrow();
            Message export = valid.getLast();
            ByteBuffer exported = ask(service, export).orElseThrow().payload();
            valid.add(new Message(MessageType.ADOPT, export.meta(), exported));
        }

        Message mutated(Message message) {
            int place = random.nextInt(10);
            byte[] meta = bytes(message.meta());
            byte[] payload = bytes(message.payload());
            return new Message(
                    message.type(),
                    ByteBuffer.wrap(place < 7 ? mutated(meta) : meta),
                    ByteBuffer.wrap(place > 4 ? mutated(payload) : payload));
        }

        private static byte[] bytes(ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return bytes;
        }

        private byte[] mutated(byte[] given) {
            byte[] bytes = given.clone();
            for (int change = random.nextInt(1, 4); change > 0 && bytes.length > 0; change--) {
                int at = random.nextInt(bytes.length);
                switch (random.nextInt(6)) {
                    case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                    case 1 -> bytes[at] = (byte) random.nextInt();
                    case 2 -> putInt(bytes, at & ~3, random.nextInt(-2, 600));
                    case 3 ->
                            putInt(bytes, at & ~3, INTERESTING[random.nextInt(INTERESTING.length)]);
                    case 4 -> bytes = Arrays.copyOf(bytes, at);
                    default -> bytes = Arrays.copyOf(bytes, bytes.length + at % 9);
                }
            }
            return bytes;
        }

        /** Sizes at the edges, and what is a NaN or an infinity as a float. */
        private static final int[] INTERESTING = {
            0,
            1,
            -1,
            255,
            256,
            257,
            SLOTS,
            SLOTS + 256,
            Integer.MAX_VALUE,
            Integer.MIN_VALUE,
            0x7fc00000,
            0x7f800000,
            0xff800000,
            0x7f7fffff
        };

        private static void putInt(byte[] bytes, int at, int value) {
            if (at + Integer.BYTES <= bytes.length) {
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(at, value);
            }
        }
    }

    @Test
    void loadedSessionRespondsToEveryMessageAndStaysUsable() throws Exception {
        Requests requests = new Requests();
        try (ShardSession service = new ShardSession(host)) {
            assertTrue(ask(service, requests.load.encode()).isPresent());
            List<byte[]> before = answers(service, requests);
            requests.addAdoption(service);
            int accepted = 0;

            for (int i = 0; i < MUTATIONS; i++) {
                Message valid = requests.valid.get(requests.random.nextInt(requests.valid.size()));
                Message request = requests.mutated(valid);
                accepted += ask(service, request).isPresent() ? 1 : 0;
            }

            assertTrue(accepted > MUTATIONS / 100, "only " + accepted + " were accepted");
            assertTrue(accepted < MUTATIONS * 9 / 10, accepted + " were accepted");
            List<byte[]> after = answers(service, requests);
            for (int i = 0; i < before.size(); i++) {
                assertArrayEquals(before.get(i), after.get(i), "request " + i);
            }
        }
    }

    /** Payloads of the answers to the first forwards, which do not depend on what was before. */
    private static List<byte[]> answers(ShardSession service, Requests requests) throws Exception {
        List<byte[]> answers = new ArrayList<>();
        for (Message request : requests.valid.subList(0, 4)) {
            answers.add(Requests.bytes(ask(service, request).orElseThrow().payload()));
        }
        return answers;
    }

    @Test
    void everyMutatedLoadGetsAResponseAndAValidOneStillWorks() throws Exception {
        Requests requests = new Requests();
        try (ShardSession service = new ShardSession(host)) {
            Message load = requests.load.encode();

            for (int i = 0; i < LOADS; i++) {
                Message mutated = requests.mutated(load);
                if (!wantsMuchMemory(mutated)) {
                    ask(service, mutated);
                }
            }

            assertTrue(ask(service, load).isPresent());
            assertEquals(4, answers(service, requests).size());
        }
    }

    /** Sizes that this machine might have, but not for a test; larger ones must be refused. */
    private static boolean wantsMuchMemory(Message load) {
        try {
            CacheCapacities capacities = ShardLoadRequest.decode(load).shard().capacities();
            long slots =
                    Math.max(
                            capacities.slots(),
                            (long) capacities.regionSlots() * capacities.stateRows());
            return slots > 1 << 16 && slots < 1 << 30;
        } catch (WireException | IllegalArgumentException e) {
            return false;
        }
    }
}
