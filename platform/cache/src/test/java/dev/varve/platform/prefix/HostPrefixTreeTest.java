package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.sequence.TokenList;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceImages;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** The tree against plain maps of everything that was stored and has not given way. */
class HostPrefixTreeTest {
    private static final int BLOCK = CachedBlock.TOKENS;
    private static final int OPERATIONS = Effort.of(6_000, 100_000);
    private static final CacheScope ONE = new CacheScope("one");
    private static final CacheScope TWO = new CacheScope("two");
    private static final int ROW_BYTES = 128;
    private static final long STATE_BYTES = 50_000;

    private long now;
    private HostPrefixTree tree = tree(64 << 20, false);

    private HostPrefixTree tree(long bytes, boolean anywhere) {
        return new HostPrefixTree(new HostMemoryPool(bytes), anywhere, () -> now);
    }

    @AfterEach
    void close() {
        tree.close();
    }

    /** The bytes that a test stores for the last {@code count} tokens of a prompt. */
    private static byte[] content(CacheScope scope, int[] tokens, int count, long bytes) {
        SplittableRandom random =
                new SplittableRandom(31L * Arrays.hashCode(tokens) + scope.hashCode() + count);
        byte[] content = new byte[(int) bytes];
        random.nextBytes(content);
        return content;
    }

    private static byte[] bytes(HostAllocation cells) {
        byte[] read = new byte[(int) cells.bytes()];
        cells.read(0, read.length, ByteBuffer.wrap(read));
        return read;
    }

    /**
     * Stores a prompt's blocks, as far as they are not there, and a checkpoint behind it.
     *
     * @return whether there was room
     */
    private boolean store(CacheScope scope, int[] tokens) {
        CachedBlock last = tree.root(scope);
        last.pin();
        boolean fits = true;
        while (fits && last.end() + BLOCK <= tokens.length) {
            int[] ids = Arrays.copyOfRange(tokens, last.end(), last.end() + BLOCK);
            Optional<CachedBlock> next = last.child(ids);
            next.ifPresent(CachedBlock::pin);
            if (next.isEmpty()) {
                int[] upToIt = Arrays.copyOf(tokens, last.end() + BLOCK);
                next = tree.reserveBlock(last, ids, 0, new long[] {(long) BLOCK * ROW_BYTES});
                next.ifPresent(
                        block -> {
                            write(block.rows(), content(scope, upToIt, BLOCK, BLOCK * ROW_BYTES));
                            block.markReady();
                        });
            }
            fits = next.isPresent();
            if (fits) {
                tree.unpin(last);
                last = next.get();
            }
        }
        int[] tail = Arrays.copyOfRange(tokens, last.end(), tokens.length);
        fits = fits && keep(scope, tokens, last, tail);
        tree.unpin(last);
        return fits;
    }

    private boolean keep(CacheScope scope, int[] tokens, CachedBlock last, int[] tail) {
        if (last.checkpoints().stream().anyMatch(other -> Arrays.equals(other.tail(), tail))) {
            return true;
        }
        Optional<Checkpoint> kept =
                tree.reserveCheckpoint(
                        last,
                        tail,
                        ChunkHistory.ofWindows(512, tokens.length),
                        new long[] {STATE_BYTES});
        kept.ifPresent(
                checkpoint -> {
                    write(checkpoint.pieces(), content(scope, tokens, 0, STATE_BYTES));
                    checkpoint.markReady();
                    checkpoint.unpin();
                });
        return kept.isPresent();
    }

    private static void write(LayerBuffers pieces, byte[] content) {
        pieces.parts().getFirst().write(ByteBuffer.wrap(content));
    }

    private static int[] prompt(int length, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return random.ints(length, 0, 1000).toArray();
    }

    private static int[] join(int[] first, int[] second) {
        int[] joined = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        return joined;
    }

    private int found(CacheScope scope, int[] tokens) {
        return tree.find(scope, tokens, tokens.length - 1).map(PrefixMatch::position).orElse(0);
    }

    @Test
    void promptResumesFromTheDeepestCheckpoint() {
        int[] head = prompt(700, 1);
        int[] turn = join(head, prompt(300, 2));
        assertEquals(0, found(ONE, turn));
        assertTrue(store(ONE, head));
        assertTrue(store(ONE, turn));

        assertEquals(700, found(ONE, join(head, prompt(50, 3))));
        assertEquals(1000, found(ONE, join(turn, prompt(50, 3))));
        assertEquals(700, found(ONE, turn), "the last token must be computed");
        assertEquals(0, found(ONE, join(prompt(10, 4), head)));
        assertEquals(0, found(TWO, join(turn, prompt(50, 3))));
    }

    @Test
    void sharedPrefixIsStoredOnce() {
        int[] head = prompt(16 * BLOCK, 1);
        assertTrue(store(ONE, head));
        long once = used();
        for (int i = 0; i < 10; i++) {
            assertTrue(store(ONE, join(head, prompt(40, 10 + i))));
        }

        assertEquals(once + 10 * HostMemoryPool.rounded(STATE_BYTES), used());
    }

    private long used() {
        long bytes = 0;
        for (Checkpoint checkpoint : tree.checkpoints()) {
            bytes += checkpoint.pieces().usedBytes();
        }
        return bytes + blockBytes(tree.root(ONE)) + blockBytes(tree.root(TWO));
    }

    private static long blockBytes(CachedBlock block) {
        long bytes = block.rows().usedBytes();
        for (CachedBlock child : block.children()) {
            bytes += blockBytes(child);
        }
        return bytes;
    }

    @Test
    void onlyAsManyEntriesAsNeededAreEvicted() {
        tree.close();
        long entry = BLOCK * ROW_BYTES + HostMemoryPool.rounded(STATE_BYTES);
        tree = tree(3 * entry, false);
        for (int i = 0; i < 3; i++) {
            now++;
            assertTrue(store(ONE, prompt(BLOCK, i)));
        }
        assertEquals(3 * entry, tree.memory().used());

        now++;
        assertTrue(store(ONE, prompt(2 * BLOCK, 7)));

        assertEquals(2, tree.evictions());
        assertEquals(0, found(ONE, join(prompt(BLOCK, 0), new int[1])));
        assertEquals(BLOCK, found(ONE, join(prompt(BLOCK, 2), new int[1])));
    }

    @Test
    void nothingIsEvictedForAnEntryThatNeverFits() {
        tree.close();
        tree = tree(1 << 20, false);
        assertTrue(store(ONE, prompt(BLOCK, 1)));

        Optional<CachedBlock> block =
                tree.reserveBlock(tree.root(ONE), prompt(BLOCK, 2), 0, new long[] {2 << 20});

        assertTrue(block.isEmpty());
        assertEquals(BLOCK, found(ONE, join(prompt(BLOCK, 1), new int[1])));
    }

    @Test
    void pinnedEntriesAreKept() {
        tree.close();
        tree = tree(BLOCK * ROW_BYTES + HostMemoryPool.rounded(STATE_BYTES), false);
        assertTrue(store(ONE, prompt(BLOCK, 1)));
        tree.checkpoints().getFirst().pin();

        assertTrue(
                tree.reserveCheckpoint(
                                tree.root(TWO),
                                new int[] {1},
                                ChunkHistory.ofWindows(512, 1),
                                new long[] {STATE_BYTES})
                        .isEmpty());
        assertEquals(BLOCK, found(ONE, join(prompt(BLOCK, 1), new int[1])));
    }

    @Test
    void rowsWithoutStatesResumeAnywhere() {
        tree.close();
        tree = tree(64 << 20, true);
        int[] prompt = prompt(1000, 1);
        assertTrue(store(ONE, prompt));

        int[] other = join(Arrays.copyOf(prompt, 300), prompt(300, 2));

        PrefixMatch found = tree.find(ONE, other, other.length - 1).orElseThrow();
        assertEquals(300, found.position());
        assertEquals(2, found.blocks().size());
        assertTrue(found.checkpoint().isEmpty());
        assertEquals(898, found(ONE, Arrays.copyOf(prompt, 900)), "no single token remains");
        assertEquals(1000, found(ONE, join(prompt, prompt(5, 3))));
    }

    /** An image of 100 tokens from position 250, whose first 50 ids are those of another one. */
    @Test
    void promptResumesFromNoPositionInsideAnImage() {
        tree.close();
        tree = tree(64 << 20, true);
        int[] stored = prompt(1000, 1);
        assertTrue(store(ONE, stored));
        int[] other = join(Arrays.copyOf(stored, 300), prompt(300, 2));

        assertEquals(250, found(other, 250), "begin of the image");
        assertEquals(300, found(other, 150), "the image ends before");
        assertEquals(300, found(other, 300), "the image begins there");
    }

    private int found(int[] tokens, int imageBegin) {
        ImageSpan span = new ImageSpan(imageBegin, 10, 10, ImagePositions.GRID);
        SequenceImages images = new SequenceImages(List.of(span), List.of(ImageRows.NONE));
        PrefixQuery query =
                new PrefixQuery(
                        new TokenList(tokens, images),
                        ChunkHistory.NONE,
                        ONE,
                        RequestedOutput.BEST);
        return tree.find(query).orElseThrow().position();
    }

    /** Likewise for a checkpoint of a state. */
    @Test
    void checkpointInsideAnImageIsNotUsed() {
        int[] head = prompt(300, 1);
        assertTrue(store(ONE, head));
        int[] other = join(head, prompt(300, 2));
        ImageSpan span = new ImageSpan(250, 10, 10, ImagePositions.GRID);
        SequenceImages images = new SequenceImages(List.of(span), List.of(ImageRows.NONE));

        assertEquals(300, found(ONE, other));
        assertTrue(
                tree.find(
                                new PrefixQuery(
                                        new TokenList(other, images),
                                        ChunkHistory.NONE,
                                        ONE,
                                        RequestedOutput.BEST))
                        .isEmpty());
    }

    @Test
    void tokensBehindTheLastWholeBlockAreKeptToo() {
        assertTrue(store(ONE, prompt(100, 1)));
        assertEquals(100, tree.keptTokens());

        assertTrue(store(ONE, prompt(BLOCK + 10, 2)));

        assertEquals(100 + BLOCK + 10, tree.keptTokens());
        tree.clear();
        assertEquals(0, tree.keptTokens());
    }

    @Test
    void entriesInUseAreNotCleared() {
        int[] used = prompt(600, 1);
        assertTrue(store(ONE, used));
        assertTrue(store(ONE, join(Arrays.copyOf(used, 300), prompt(300, 2))));
        assertTrue(store(TWO, used));
        PrefixMatch found = tree.find(ONE, join(used, new int[1]), used.length).orElseThrow();
        found.pin();

        tree.clear();

        assertContent(found, ONE, used);
        assertEquals(0, found(TWO, join(used, new int[1])));
        assertEquals(600, tree.keptTokens());
        tree.unpin(found);
        tree.clear();
        assertEquals(0, tree.memory().used());
        assertEquals(0, tree.keptTokens());
        assertEquals(List.of(), tree.entries());
    }

    /** Heads that many share, so that every length of agreement comes. */
    private static int[] randomPrompt(SplittableRandom random) {
        int[] prompt = prompt(100 + 200 * random.nextInt(4), random.nextInt(6));
        int turns = random.nextInt(3);
        for (int i = 0; i < turns; i++) {
            prompt = join(prompt, prompt(1 + random.nextInt(2) * 150, random.nextInt(5)));
        }
        return prompt;
    }

    /** The scope and the tokens that a checkpoint follows. */
    private record Key(CacheScope scope, int[] tokens) {
        boolean begins(CacheScope other, int[] prompt) {
            return scope.equals(other)
                    && tokens.length < prompt.length
                    && Arrays.equals(tokens, 0, tokens.length, prompt, 0, tokens.length);
        }
    }

    @Test
    void lookupsMatchPlainMaps() {
        tree.close();
        tree = tree(3 << 20, false);
        SplittableRandom random = new SplittableRandom(42);
        Map<Checkpoint, Key> stored = new IdentityHashMap<>();
        int hits = 0;
        int clears = 0;
        for (int operation = 0; operation < OPERATIONS; operation++) {
            now += random.nextInt(1_000_000_000);
            CacheScope scope = random.nextBoolean() ? ONE : TWO;
            int[] prompt = randomPrompt(random);
            int kind = random.nextInt(100);
            if (kind < 30) {
                if (store(scope, prompt)) {
                    rememberAll(stored);
                }
            } else if (kind < 31 && !tree.checkpoints().isEmpty()) {
                int victim = random.nextInt(tree.checkpoints().size());
                tree.remove(tree.checkpoints().get(victim));
            } else if (kind == 31 && random.nextInt(20) == 0) {
                clears++;
                tree.clear();
                assertEquals(0, tree.memory().used());
                assertEquals(0, tree.keptTokens());
            } else {
                hits += assertFound(stored, scope, prompt);
            }
            stored.keySet().removeIf(Checkpoint::isRemoved);
            assertEquals(stored.size(), tree.checkpoints().size());
            if (operation % 1000 == 0) {
                assertEquals(tree.memory().used(), used());
            }
        }
        assertTrue(clears > OPERATIONS / 10_000, "clears: " + clears);
        assertTrue(hits > OPERATIONS / 10, "hits: " + hits);
        assertTrue(tree.evictions() > OPERATIONS / 100, "evictions: " + tree.evictions());
        for (Checkpoint checkpoint : List.copyOf(tree.checkpoints())) {
            tree.remove(checkpoint);
        }
        assertEquals(0, tree.memory().used());
    }

    private void rememberAll(Map<Checkpoint, Key> stored) {
        for (Checkpoint checkpoint : tree.checkpoints()) {
            stored.computeIfAbsent(checkpoint, this::keyOf);
        }
    }

    private Key keyOf(Checkpoint checkpoint) {
        int[] tokens = checkpoint.tail();
        CachedBlock first = checkpoint.block();
        for (CachedBlock at : checkpoint.block().pathToRoot()) {
            tokens = join(at.tokens(), tokens);
            first = at;
        }
        return new Key(first == tree.root(ONE) ? ONE : TWO, tokens);
    }

    private int assertFound(Map<Checkpoint, Key> stored, CacheScope scope, int[] prompt) {
        int expected = 0;
        for (Key key : stored.values()) {
            if (key.begins(scope, prompt)) {
                expected = Math.max(expected, key.tokens().length);
            }
        }
        Optional<PrefixMatch> found = tree.find(scope, prompt, prompt.length - 1);
        assertEquals(expected, (int) found.map(PrefixMatch::position).orElse(0));
        found.ifPresent(hit -> assertContent(hit, scope, prompt));
        return found.isPresent() ? 1 : 0;
    }

    private static void assertContent(PrefixMatch hit, CacheScope scope, int[] prompt) {
        List<byte[]> rows = new ArrayList<>();
        hit.blocks().forEach(block -> rows.add(bytes(block.rows().parts().getFirst())));
        for (int i = 0; i < rows.size(); i++) {
            int[] upToIt = Arrays.copyOf(prompt, (i + 1) * BLOCK);
            assertArrayEquals(content(scope, upToIt, BLOCK, BLOCK * ROW_BYTES), rows.get(i));
        }
        int[] upToIt = Arrays.copyOf(prompt, hit.position());
        assertArrayEquals(
                content(scope, upToIt, 0, STATE_BYTES),
                bytes(hit.checkpoint().orElseThrow().pieces().parts().getFirst()));
    }
}
