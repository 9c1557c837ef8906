package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.ImageRows;
import dev.varve.platform.shard.ImageSpan;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SequenceImages;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.platform.shard.TokenTree;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** The mask of tokens over slots, against a plain loop that looks up the position in each slot. */
class CausalMaskTest {
    private static final int NO_WINDOW = Integer.MAX_VALUE;
    private static final int ROUNDS = 300;
    private static final short GARBAGE = 77;

    /** Draws chunks of all kinds in spans of up to 16 pages. */
    private static final class Draw {
        private final SplittableRandom random;

        Draw(long seed) {
            random = new SplittableRandom(seed);
        }

        TokenTree tree(int tokens) {
            int[] parents = new int[tokens];
            parents[0] = -1;
            for (int token = 1; token < tokens; token++) {
                parents[token] = random.nextInt(Math.max(0, token - 4), token);
            }
            return TokenTree.of(parents);
        }

        SequenceChunk chunk(
                int first, int tokens, boolean branches, SlotPositionMap positions, int capacity) {
            TokenTree tree = branches && tokens > 1 ? tree(tokens) : TokenTree.CHAIN;
            return new SequenceChunk(
                    1,
                    new int[tokens],
                    new ChunkPlacement(
                            first,
                            new KvSlotSpan(KvSlotSpan.BLOCK, capacity),
                            1,
                            1,
                            ChunkPlacement.NO_ROLLBACK_BUFFER,
                            positions),
                    RequestedOutput.NONE,
                    ChunkComputeMode.ROWS,
                    tree);
        }

        /** The pages of some tokens in a span, with some of those before and behind them. */
        SlotPositionMap positions(int runs, int first, int end) {
            SortedSet<Integer> pages = new TreeSet<>();
            for (int page = first / Pages.TOKENS; page * Pages.TOKENS < end; page++) {
                pages.add(page);
            }
            for (int page = 0; page < first / Pages.TOKENS + 4 && pages.size() < runs; page++) {
                if (random.nextInt(3) > 0) {
                    pages.add(page);
                }
            }
            return inOrder(runs, pages);
        }

        private static SlotPositionMap inOrder(int runs, SortedSet<Integer> pages) {
            int[] lying = new int[runs];
            Arrays.fill(lying, SlotPositionMap.EMPTY);
            int run = 0;
            for (int page : pages) {
                lying[run++] = page;
            }
            return SlotPositionMap.of(lying);
        }
    }

    private static short[] mask(int window, SequenceChunk chunk, int rows) {
        AttendedKvRange range = AttendedKvRange.whole(chunk);
        short[] mask = new short[rows * range.slots()];
        Arrays.fill(mask, GARBAGE);
        new CausalMask(window).fill(mask, chunk, range, rows);
        return mask;
    }

    /** By the rule alone: 0 <= p <= q, p >= q - window + 1, and only ancestors in a draft tree. */
    private static boolean isSeen(int window, SequenceChunk chunk, int row, int position) {
        int token = Math.min(row, chunk.tokens().length - 1);
        int query = chunk.position(token);
        int own = position - chunk.firstPosition();
        if (own < 0) {
            return query - position < window;
        }
        // The rows of draft tokens have the order of the tokens, not that of their positions.
        for (int each = token; each >= 0; each = chunk.tree().parent(each)) {
            if (each == own) {
                return query - chunk.position(own) < window;
            }
        }
        return false;
    }

    private static int positionIn(SequenceChunk chunk, int slot) {
        SlotPositionMap positions = chunk.place().positions();
        if (positions.isStraight()) {
            return slot;
        }
        int page = positions.page(slot / Pages.TOKENS);
        return page == SlotPositionMap.EMPTY ? -1 : page * Pages.TOKENS + slot % Pages.TOKENS;
    }

    private static void requireRule(int window, SequenceChunk chunk, int rows, String message) {
        short[] mask = mask(window, chunk, rows);
        int slots = AttendedKvRange.whole(chunk).slots();
        for (int row = 0; row < rows; row++) {
            for (int slot = 0; slot < slots; slot++) {
                int position = positionIn(chunk, slot);
                boolean seen = position >= 0 && isSeen(window, chunk, row, position);
                if (mask[row * slots + slot] != (seen ? CausalMask.VISIBLE : CausalMask.MASKED)) {
                    assertEquals(
                            seen,
                            mask[row * slots + slot] == CausalMask.VISIBLE,
                            message + ", row " + row + ", position " + position);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 64, 100, 300, NO_WINDOW})
    void slotIsVisibleByItsPosition(int window) {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Draw draw = new Draw(seed);
            int runs = 4 * draw.random.nextInt(1, 5);
            int tokens = draw.random.nextInt(1, 40);
            int first = draw.random.nextInt(5000);
            SlotPositionMap positions = draw.positions(runs, first, first + tokens);
            boolean branches = draw.random.nextBoolean();
            SequenceChunk chunk =
                    draw.chunk(first, tokens, branches, positions, runs * Pages.TOKENS);

            requireRule(window, chunk, tokens, "seed " + seed + ", " + chunk);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 64, 300, NO_WINDOW})
    void spanWithoutAMapFollowsTheSameRule(int window) {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Draw draw = new Draw(seed);
            int tokens = draw.random.nextInt(1, 40);
            int first = draw.random.nextInt(980);
            boolean branches = draw.random.nextBoolean();
            SequenceChunk chunk =
                    draw.chunk(first, tokens, branches, SlotPositionMap.STRAIGHT, 1024);

            requireRule(window, chunk, tokens, "seed " + seed + ", " + chunk);
        }
    }

    private static ImageSpan image(int begin, int tokens, ImageAttention attention) {
        return new ImageSpan(begin, tokens, 1, ImagePositions.LINE, attention);
    }

    private static SequenceChunk withImages(int first, int tokens, ImageSpan... spans) {
        List<ImageRows> rows = Arrays.stream(spans).map(span -> ImageRows.NONE).toList();
        return new Draw(1)
                .chunk(first, tokens, false, SlotPositionMap.STRAIGHT, 256)
                .with(new SequenceImages(List.of(spans), rows));
    }

    /** Positions that a row sees, as one character each. */
    private static String seen(int window, SequenceChunk chunk, int row) {
        short[] mask = mask(window, chunk, chunk.tokens().length + 2);
        StringBuilder seen = new StringBuilder();
        for (int position = 0; position < 14; position++) {
            seen.append(mask[row * 256 + position] == CausalMask.VISIBLE ? '+' : '-');
        }
        return seen.toString();
    }

    /** A query sees key k if k is in its window, and before it or in its image. */
    @Test
    void tokensOfAnImageSeeAllOfItInAWindow() {
        ImageAttention both = ImageAttention.BIDIRECTIONAL_IN_WINDOWS;
        SequenceChunk chunk = withImages(4, 8, image(1, 2, both), image(5, 5, both));

        assertEquals("--+++---------", seen(3, chunk, 0), "text before the image");
        assertEquals("---+++++++----", seen(3, chunk, 1), "its first token");
        assertEquals("-----+++++----", seen(3, chunk, 3), "a token of it");
        assertEquals("-------+++----", seen(3, chunk, 5), "its last token");
        assertEquals("--------+++---", seen(3, chunk, 6), "text behind it");
        assertEquals("---------+++--", seen(3, chunk, 9), "padding repeats the last row");
        assertEquals("++++++--------", seen(NO_WINDOW, chunk, 1), "full attention is causal");
    }

    @Test
    void tokensOfACausalImageSeeThoseBeforeThem() {
        SequenceChunk chunk = withImages(4, 8, image(5, 5, ImageAttention.CAUSAL));

        assertEquals("----+++-------", seen(3, chunk, 2));
    }

    /** Rows are added so that an operator has whole tiles. */
    @ParameterizedTest
    @ValueSource(ints = {7, NO_WINDOW})
    void paddingRowsEqualTheLastRow(int window) {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Draw draw = new Draw(seed);
            int tokens = draw.random.nextInt(1, 9);
            int first = draw.random.nextInt(5000);
            SlotPositionMap positions = draw.positions(8, first, first + tokens);
            SequenceChunk chunk = draw.chunk(first, tokens, false, positions, 8 * Pages.TOKENS);

            requireRule(window, chunk, tokens + 7, "seed " + seed + ", " + chunk);
        }
    }

    /** The map of a table in a span that holds everything changes nothing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 70, NO_WINDOW})
    void residentPagesAreMaskedLikeASpanWithoutAMap(int window) {
        int[] all = new int[16];
        Arrays.setAll(all, page -> page);
        for (int seed = 0; seed < ROUNDS; seed++) {
            Draw draw = new Draw(seed);
            int tokens = draw.random.nextInt(1, 40);
            int first = draw.random.nextInt(1024 - 40);
            boolean branches = draw.random.nextBoolean();
            SequenceChunk straight =
                    new Draw(seed).chunk(first, tokens, branches, SlotPositionMap.STRAIGHT, 1024);
            SequenceChunk mapped =
                    new Draw(seed).chunk(first, tokens, branches, SlotPositionMap.of(all), 1024);

            assertArrayEquals(
                    mask(window, straight, tokens), mask(window, mapped, tokens), "seed " + seed);
        }
    }

    /** Attention would add up in another order than that of the positions. */
    @Test
    void unorderedPagesAreRefused() {
        SequenceChunk chunk =
                new Draw(1).chunk(640, 3, false, SlotPositionMap.of(new int[] {0, 10, 3, -1}), 256);

        assertThrows(IllegalArgumentException.class, () -> AttendedKvRange.whole(chunk));
    }

    @Test
    void positionsNearTheMaximumAreVisible() {
        int page = Integer.MAX_VALUE / Pages.TOKENS - 1;
        Draw draw = new Draw(1);
        SlotPositionMap positions =
                SlotPositionMap.of(new int[] {0, page - 1, page, SlotPositionMap.EMPTY});
        SequenceChunk chunk = draw.chunk(page * Pages.TOKENS + 60, 3, false, positions, 256);

        requireRule(NO_WINDOW, chunk, 3, "without a window");
        requireRule(100, chunk, 3, "with a window");
    }

    @Test
    void rejectedDraftTokensAreNotVisible() {
        SlotPositionMap positions = SlotPositionMap.of(new int[] {0, 3, 8, 9});
        SequenceChunk next = new Draw(1).chunk(8 * Pages.TOKENS + 60, 1, false, positions, 256);

        short[] mask = mask(NO_WINDOW, next, 1);

        // Positions behind the token lie in the rest of its page and in the page after it.
        for (int slot = 0; slot < 256; slot++) {
            boolean seen = slot <= 128 + 60;
            assertEquals(seen, mask[slot] == CausalMask.VISIBLE, "slot " + slot);
        }
    }

    /** Each token's rows go where its position lies. */
    @Test
    void slotOfATokenIsThatOfItsPosition() {
        SlotPositionMap positions = SlotPositionMap.of(new int[] {0, 8, 9, SlotPositionMap.EMPTY});
        SequenceChunk chunk = new Draw(1).chunk(8 * Pages.TOKENS + 60, 8, false, positions, 256);
        AttendedKvRange range = AttendedKvRange.whole(chunk);

        int[] slots = new int[8];
        Arrays.setAll(slots, token -> range.slotOf(chunk.firstPosition() + token));

        int begin = KvSlotSpan.BLOCK;
        assertEquals(
                Arrays.toString(
                        new int[] {
                            begin + 124,
                            begin + 125,
                            begin + 126,
                            begin + 127,
                            begin + 128,
                            begin + 129,
                            begin + 130,
                            begin + 131
                        }),
                Arrays.toString(slots));
        assertEquals(begin, range.slotOf(0));
        assertEquals(128, range.indexOf(9 * Pages.TOKENS));
    }
}
