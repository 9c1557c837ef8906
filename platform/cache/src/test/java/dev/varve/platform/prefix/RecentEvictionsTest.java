package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkHistory;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.stream.IntStream;

class RecentEvictionsTest {
    private static final CacheScope ONE = new CacheScope("one");
    private static final CacheScope TWO = new CacheScope("two");
    private static final int BLOCK = CachedBlock.TOKENS;

    private final RecentEvictions forgotten = new RecentEvictions();

    private static int[] tokens(int first, int count) {
        return IntStream.range(first, first + count).toArray();
    }

    private static Checkpoint checkpoint(int... tokens) {
        CachedBlock block = CachedBlock.root();
        while (block.end() + BLOCK <= tokens.length) {
            int[] ids = Arrays.copyOfRange(tokens, block.end(), block.end() + BLOCK);
            block = block.add(ids, 0, LayerBuffers.NONE);
        }
        return new Checkpoint(
                block,
                Arrays.copyOfRange(tokens, block.end(), tokens.length),
                ChunkHistory.ofWindows(512, tokens.length),
                LayerBuffers.NONE,
                0);
    }

    @Test
    void promptWithTheSameBlocksIsRemembered() {
        forgotten.add(ONE, checkpoint(tokens(0, 2 * BLOCK + 10)));

        assertTrue(forgotten.contains(ONE, tokens(0, 2 * BLOCK)));
        assertTrue(forgotten.contains(ONE, tokens(0, 5 * BLOCK)));
        assertFalse(forgotten.contains(ONE, tokens(0, 2 * BLOCK - 1)));
        assertFalse(forgotten.contains(ONE, tokens(1, 5 * BLOCK)));
        assertFalse(forgotten.contains(TWO, tokens(0, 5 * BLOCK)));
    }

    @Test
    void beginningOfAShortPromptIsRemembered() {
        forgotten.add(ONE, checkpoint(tokens(0, 60)));

        assertTrue(forgotten.contains(ONE, tokens(0, 70)));
        assertTrue(forgotten.contains(ONE, tokens(0, 32)));
        assertFalse(forgotten.contains(ONE, tokens(0, 31)));
        assertFalse(forgotten.contains(TWO, tokens(0, 70)));
    }

    @Test
    void onlyTheLatestEvictionsAreRemembered() {
        for (int i = 0; i < 20_000; i++) {
            forgotten.add(ONE, checkpoint(tokens(i, 40)));
        }

        assertFalse(forgotten.contains(ONE, tokens(0, 40)));
        assertTrue(forgotten.contains(ONE, tokens(19_999, 40)));
        assertTrue(forgotten.contains(ONE, tokens(20_000 - (1 << 14), 40)));
    }
}
