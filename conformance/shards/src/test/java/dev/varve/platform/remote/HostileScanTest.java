package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.shard.local.LayerMajorImportanceScorer;
import dev.varve.platform.shard.local.LocalImportanceScorer;
import dev.varve.platform.wire.CallResponder;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.plugin.qwen3.Qwen3Family;
import dev.varve.testkit.Qwen3Model;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A session that reads texts, and what a server can do to it. */
@Timeout(300)
class HostileScanTest {
    private static final int SOAK = Integer.getInteger("varve.test.soak", 1);

    /** The first of those that a long run tries. */
    private static final int MUTATIONS = SOAK > 1 ? 5_000 * SOAK : 700;

    private static final int LOADS = SOAK > 1 ? 500 * SOAK : 80;
    private static final ModelFamilyProvider FAMILY = new Qwen3Family();

    @TempDir static Path folder;
    private static DeviceBackend backend;
    private static Path path;

    /** Bytes that the device says are free; empty: what it has. */
    private Optional<Long> free = Optional.empty();

    @BeforeAll
    static void open() throws Exception {
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        backend =
                new CpuBackendProvider()
                        .open(new BackendOptions(natives, Optional.of(natives), false));
        path = Qwen3Model.tiny().write(folder);
    }

    /** One model, one device, as in a process of its own. */
    private final class Host implements ShardResources {
        @Override
        public List<DeviceInfo> devices() {
            return backend.devices();
        }

        @Override
        public ComputeDevice open(String device, DeviceOptions options) {
            if (!device.equals("cpu:0")) {
                throw FieldReader.invalid("device", "cpu:0", device);
            }
            ComputeDevice opened =
                    backend.open(
                            0, new DeviceOptions(OptionalInt.of(1), OptionalInt.empty(), true));
            return (ComputeDevice)
                    Proxy.newProxyInstance(
                            HostileScanTest.class.getClassLoader(),
                            new Class<?>[] {ComputeDevice.class},
                            (proxy, method, arguments) ->
                                    method.getName().equals("info")
                                            ? told(opened.info())
                                            : method.invoke(opened, arguments));
        }

        private DeviceInfo told(DeviceInfo info) {
            return new DeviceInfo(
                    info.name(),
                    info.description(),
                    info.memoryTotalBytes(),
                    free.orElse(info.memoryFreeBytes()),
                    info.hostCores());
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

    /** The answer to one request, whose caller leaves after some signs of life. */
    private static final class Reply implements CallResponder {
        final CompletableFuture<Message> end = new CompletableFuture<>();
        final AtomicInteger signs = new AtomicInteger();
        private final int patience;

        Reply(int patience) {
            this.patience = patience;
        }

        @Override
        public boolean isCancelled() {
            return signs.get() >= patience;
        }

        @Override
        public void onCancel(Runnable action) {
            // The test needs no call on cancellation.
        }

        @Override
        public void progress(Message message) {
            signs.incrementAndGet();
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

    private static Reply ask(ShardSession service, Message request, int patience) {
        Reply reply = new Reply(patience);
        service.handle(request, reply);
        return reply;
    }

    private static Optional<Message> ask(ShardSession service, Message request) throws Exception {
        try {
            return Optional.of(
                    ask(service, request, Integer.MAX_VALUE).end.get(60, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            assertTrue(e.getCause() instanceof WireException, () -> "failed with " + e.getCause());
            return Optional.empty();
        }
    }

    private static WireException refusal(Reply reply) {
        ExecutionException failure =
                assertThrows(ExecutionException.class, () -> reply.end.get(60, TimeUnit.SECONDS));
        return (WireException) failure.getCause();
    }

    private static WireException refusal(ShardSession service, Message request) {
        return refusal(ask(service, request, Integer.MAX_VALUE));
    }

    private static TextScorerLoadRequest load(LocalImportanceScorer.Residency residency) {
        GgufFile file = GgufFile.open(path);
        return new TextScorerLoadRequest(
                ShardLoadRequest.Model.of(
                        file, FAMILY.open(file, ModelOptions.defaults()), ModelOptions.defaults()),
                new LayerMajorImportanceScorer.ScoringOptions(new LayerRange(0, 4), 8, false),
                residency,
                new ShardLoadRequest.Device("cpu:0", DeviceOptions.automatic()));
    }

    private static Message text(int tokens) {
        return TextScoreCodec.of(load(LocalImportanceScorer.Residency.AUTO))
                .encode(Qwen3Model.tiny().randomTokens(tokens, tokens));
    }

    private ShardSession loaded(LocalImportanceScorer.Residency residency) throws Exception {
        ShardSession service = new ShardSession(new Host());
        assertTrue(ask(service, load(residency).encode()).isPresent());
        return service;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    @Test
    void scanBeforeALoadIsRefused() {
        try (ShardSession service = new ShardSession(new Host())) {
            WireException refusal = refusal(service, text(20));

            assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
            assertEquals("no text-scoring model is loaded", refusal.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource
    void textThatDoesNotFitIsRefusedAndAShorterOneIsScored(
            LocalImportanceScorer.Residency residency) throws Exception {
        try (ShardSession service = loaded(residency)) {
            byte[] before = bytes(ask(service, text(20)).orElseThrow().payload());
            free = Optional.of(4L << 20);

            WireException refusal = refusal(service, text(20_000));

            assertEquals(WireErrorCode.OUT_OF_MEMORY, refusal.code());
            assertTrue(refusal.getMessage().contains("20000 tokens"), refusal.getMessage());
            assertArrayEquals(before, bytes(ask(service, text(20)).orElseThrow().payload()));
        }
    }

    /** Of 40 chunks in each of four layers no more than one is computed behind the cancelling. */
    @Test
    void cancelledScanEndsSoonAndTheNextOneRuns() throws Exception {
        try (ShardSession service = loaded(LocalImportanceScorer.Residency.PERSISTENT)) {
            byte[] before = bytes(ask(service, text(20)).orElseThrow().payload());
            Reply left = ask(service, text(20_000), 2);

            assertEquals(WireErrorCode.CANCELLED, refusal(left).code());

            assertEquals(2, left.signs.get());
            assertArrayEquals(before, bytes(ask(service, text(20)).orElseThrow().payload()));
        }
    }

    /** Signs of life come now and then, and one at the end. */
    @Test
    void longScanReportsProgress() throws Exception {
        try (ShardSession service = loaded(LocalImportanceScorer.Residency.PERSISTENT)) {
            long before = service.progress();
            Reply reply = ask(service, text(4_000), Integer.MAX_VALUE);

            reply.end.get(60, TimeUnit.SECONDS);

            assertTrue(reply.signs.get() >= 2, reply.signs + " signs of life");
            assertTrue(service.progress() - before >= reply.signs.get());
        }
    }

    @Test
    void everyMutatedTextGetsAResponseAndTheSessionStaysUsable() throws Exception {
        SplittableRandom random = new SplittableRandom(17);
        try (ShardSession service = loaded(LocalImportanceScorer.Residency.PERSISTENT)) {
            byte[] before = bytes(ask(service, text(20)).orElseThrow().payload());
            int accepted = 0;
            for (int i = 0; i < MUTATIONS; i++) {
                accepted += ask(service, spoilt(random, text(20))).isPresent() ? 1 : 0;
            }

            assertTrue(accepted > MUTATIONS / 100, "only " + accepted + " were accepted");
            assertTrue(accepted < MUTATIONS * 9 / 10, accepted + " were accepted");
            assertArrayEquals(before, bytes(ask(service, text(20)).orElseThrow().payload()));
        }
    }

    @Test
    void everyMutatedLoadGetsAResponseAndAValidOneStillWorks() throws Exception {
        SplittableRandom random = new SplittableRandom(18);
        Message load = load(LocalImportanceScorer.Residency.REQUEST_SCOPED).encode();
        try (ShardSession service = new ShardSession(new Host())) {
            for (int i = 0; i < LOADS; i++) {
                ask(service, spoilt(random, load));
            }

            assertTrue(ask(service, load).isPresent());
            assertTrue(ask(service, text(20)).isPresent());
        }
    }

    private static Message spoilt(SplittableRandom random, Message message) {
        return new Message(
                message.type(),
                ByteBuffer.wrap(spoilt(random, bytes(message.meta()))),
                ByteBuffer.wrap(spoilt(random, bytes(message.payload()))));
    }

    private static byte[] spoilt(SplittableRandom random, byte[] given) {
        byte[] bytes = given.clone();
        for (int change = random.nextInt(3); change > 0 && bytes.length > 0; change--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> putInt(bytes, at & ~3, random.nextInt(-2, 600));
                case 2 -> putInt(bytes, at & ~3, Integer.MAX_VALUE);
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                default -> bytes = Arrays.copyOf(bytes, bytes.length + at % 9);
            }
        }
        return bytes;
    }

    private static void putInt(byte[] bytes, int at, int value) {
        if (at + Integer.BYTES <= bytes.length) {
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(at, value);
        }
    }
}
