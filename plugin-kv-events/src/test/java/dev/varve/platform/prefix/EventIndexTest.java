package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.event.CacheListenerAddress;
import dev.varve.platform.prefix.Subscriber.Block;
import dev.varve.platform.prefix.Subscriber.Place;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.store.ObjectKey;
import dev.varve.plugin.kvevents.KvEventsProvider;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** A router that receives the events of a prefix cache knows the blocks in the cache. */
@Timeout(120)
class EventIndexTest {
    private static final int OPERATIONS = Effort.of(4_000, 10_000);
    private static final int CHECK_EACH = 500;
    private static final List<CacheScope> SCOPES =
            List.of(CacheScope.common(), new CacheScope("a"), new CacheScope("b"));
    private static final CacheScope MARKER = new CacheScope("marker");
    private static final ChainKeys KEYS = new ChainKeys(new byte[0]);

    private final Random random = new Random(4711);
    private int port;
    private int replayPort;
    private CacheEventPublisher eventPublisher;
    private HostPrefixTree tree;
    private int markers;

    @BeforeEach
    void begin() throws IOException {
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = one.getLocalPort();
            replayPort = other.getLocalPort();
        }
        eventPublisher = CacheEventPublisher.to(new KvEventsProvider().open(address("pod-1")));
        tree =
                new HostPrefixTree(
                        new HostMemoryPool(2 << 20),
                        true,
                        System::nanoTime,
                        Optional.of(new CacheEventEmitter(eventPublisher)));
    }

    private CacheListenerAddress address(String pod) {
        return new CacheListenerAddress(
                "tcp://127.0.0.1:" + port,
                Optional.of("tcp://127.0.0.1:" + replayPort),
                pod,
                "some/model",
                CachedBlock.TOKENS);
    }

    @AfterEach
    void end() {
        eventPublisher.close();
        tree.close();
    }

    @Test
    void indexAgreesWithTheCacheAfterTenThousandOperations() throws Exception {
        try (Subscriber router = new Subscriber("kv@pod-1@some/model", port, replayPort)) {
            for (int i = 1; i <= OPERATIONS; i++) {
                change();
                if (i % CHECK_EACH == 0) {
                    Place last = mark();
                    router.hearUntil(
                            () -> router.index().containsKey(last),
                            () -> random.nextInt(10) == 0 && !router.index().isEmpty());
                    assertEquals(expected(), router.index(), "after " + i + " operations");
                }
            }
            assertTrue(router.heard() > 100, router.heard() + " batches");
            assertTrue(router.replays() > 1, "nothing was lost");
        }
    }

    @Test
    void lateSubscriberRequestsEarlierEvents() throws Exception {
        for (int i = 0; i < 50; i++) {
            change();
        }
        eventPublisher.awaitPublished();
        try (Subscriber router = new Subscriber("kv@", port, replayPort)) {
            router.replayFrom(0);

            assertEquals(expected(), router.index());
            assertEquals(0, router.heard());
        }
    }

    @Test
    void otherTopicsAreNotReceived() throws Exception {
        try (Subscriber other = new Subscriber("kv@pod-2", port, replayPort);
                Subscriber router = new Subscriber("kv@pod-1", port, replayPort)) {
            for (int i = 0; i < 20; i++) {
                Place last = mark();
                router.hearUntil(() -> router.index().containsKey(last), () -> false);
            }
            assertTrue(router.heard() > 0);
            assertTrue(other.index().isEmpty());
        }
    }

    @Test
    void addressInUseIsRefused() {
        VarveException refused =
                assertThrows(
                        VarveException.class, () -> new KvEventsProvider().open(address("pod-2")));

        assertEquals(VarveException.Kind.UNAVAILABLE, refused.kind());
        assertTrue(refused.getMessage().contains(Integer.toString(port)), refused.getMessage());
    }

    private void change() {
        int kind = random.nextInt(1000);
        if (kind == 0) {
            tree.clear();
        } else if (kind < 300 && !tree.checkpoints().isEmpty()) {
            tree.remove(tree.checkpoints().get(random.nextInt(tree.checkpoints().size())));
        } else {
            grow(kind < 400);
        }
    }

    /** Adds some blocks behind others, and a checkpoint, or gives them up before they are ready. */
    private void grow(boolean givesUp) {
        CachedBlock at = tree.root(SCOPES.get(random.nextInt(SCOPES.size())));
        while (!at.children().isEmpty() && random.nextInt(3) > 0) {
            at = List.copyOf(at.children()).get(random.nextInt(at.children().size()));
        }
        List<CachedBlock> added = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            Optional<CachedBlock> block = tree.reserveBlock(at, tokens(), 0, new long[] {9000});
            if (block.isEmpty()) {
                break;
            }
            at = block.get();
            added.add(at);
        }
        if (added.isEmpty()) {
            return;
        }
        Optional<Checkpoint> checkpoint =
                givesUp
                        ? Optional.empty()
                        : tree.reserveCheckpoint(
                                at, new int[] {1}, ChunkHistory.NONE, new long[] {9});
        if (checkpoint.isEmpty()) {
            tree.abandon(added.getFirst());
            return;
        }
        added.forEach(CachedBlock::markReady);
        checkpoint.get().markReady();
        checkpoint.get().unpin();
        added.forEach(tree::unpin);
    }

    /** Something that a router can wait for. */
    private Place mark() {
        int[] tokens = new int[CachedBlock.TOKENS];
        Arrays.fill(tokens, ++markers);
        CachedBlock block =
                tree.reserveBlock(tree.root(MARKER), tokens, 0, new long[] {64}).orElseThrow();
        Checkpoint checkpoint =
                tree.reserveCheckpoint(block, new int[] {1}, ChunkHistory.NONE, new long[] {9})
                        .orElseThrow();
        block.markReady();
        checkpoint.markReady();
        checkpoint.unpin();
        tree.unpin(block);
        return new Place(number(KEYS.block(KEYS.root(MARKER), tokens)), "CPU");
    }

    private int[] tokens() {
        return random.ints(CachedBlock.TOKENS, 0, 150_000).toArray();
    }

    private Map<Place, Block> expected() {
        Map<Place, Block> all = new HashMap<>();
        for (CacheScope scope : SCOPES) {
            add(tree.root(scope), KEYS.root(scope), Optional.empty(), all);
        }
        add(tree.root(MARKER), KEYS.root(MARKER), Optional.empty(), all);
        return all;
    }

    private static void add(
            CachedBlock parent, ObjectKey key, Optional<Long> number, Map<Place, Block> all) {
        for (CachedBlock child : parent.children()) {
            ObjectKey own = KEYS.block(key, child.tokens());
            all.put(
                    new Place(number(own), "CPU"),
                    new Block(number, IntStream.of(child.tokens()).boxed().toList()));
            add(child, own, Optional.of(number(own)), all);
        }
    }

    private static long number(ObjectKey key) {
        return ByteBuffer.wrap(key.bytes()).getLong() & Long.MAX_VALUE;
    }
}
