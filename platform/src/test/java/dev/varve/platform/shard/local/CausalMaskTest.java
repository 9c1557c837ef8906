package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.PageMap;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SliceKind;
import dev.varve.platform.shard.SlicePlace;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.shard.TokenTree;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.SplittableRandom;

/** What tokens see of slots, against a plain loop that asks which position lies in each slot. */
class CausalMaskTest {
    private static final int NO_WINDOW = Integer.MAX_VALUE;
    private static final int ROUNDS = 300;
    private static final short GARBAGE = 77;

    /** Draws slices of all kinds in spans of up to 16 pages. */
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

        Slice slice(int first, int tokens, boolean branches, PageMap pages, int capacity) {
            TokenTree tree = branches && tokens > 1 ? tree(tokens) : TokenTree.CHAIN;
            return new Slice(
                    1,
                    new int[tokens],
                    new SlicePlace(
                            first,
                            new SlotSpan(SlotSpan.BLOCK, capacity),
                            1,
                            1,
                            SlicePlace.NO_STASH,
                            pages),
                    OutputRows.NONE,
                    SliceKind.ROWS,
                    tree);
        }

        /** The pages of some tokens somewhere in a span, with others or nothing in between. */
        PageMap pages(int runs, int first, int end) {
            int[] pages = new int[runs];
            Arrays.fill(pages, PageMap.EMPTY);
            for (int page = first / Pages.TOKENS; page * Pages.TOKENS < end; page++) {
                put(pages, page);
            }
            for (int page = 0; page < first / Pages.TOKENS + 4; page++) {
                if (random.nextInt(3) > 0) {
                    put(pages, page);
                }
            }
            return PageMap.of(pages);
        }

        private void put(int[] pages, int page) {
            boolean isThere = Arrays.stream(pages).anyMatch(each -> each == page);
            boolean hasRoom = Arrays.stream(pages).anyMatch(each -> each == PageMap.EMPTY);
            if (isThere || !hasRoom) {
                return;
            }
            int run = random.nextInt(pages.length);
            while (pages[run] != PageMap.EMPTY) {
                run = (run + 1) % pages.length;
            }
            pages[run] = page;
        }
    }

    private static short[] mask(int window, Slice slice, int rows) {
        KvView view = KvView.whole(slice);
        short[] mask = new short[rows * view.slots()];
        Arrays.fill(mask, GARBAGE);
        new CausalMask(window).fill(mask, slice, view, rows);
        return mask;
    }

    /** By the rule alone: 0 <= p <= q, p >= q - window + 1, and only guesses that are followed. */
    private static boolean isSeen(int window, Slice slice, int row, int position) {
        int token = Math.min(row, slice.tokens().length - 1);
        int query = slice.position(token);
        int own = position - slice.firstPosition();
        if (own < 0) {
            return query - position < window;
        }
        // Rows of guesses lie in the order of the tokens, which is not that of their positions.
        for (int each = token; each >= 0; each = slice.tree().parent(each)) {
            if (each == own) {
                return query - slice.position(own) < window;
            }
        }
        return false;
    }

    private static int positionIn(Slice slice, int slot) {
        PageMap pages = slice.place().pages();
        if (pages.isStraight()) {
            return slot;
        }
        int page = pages.page(slot / Pages.TOKENS);
        return page == PageMap.EMPTY ? -1 : page * Pages.TOKENS + slot % Pages.TOKENS;
    }

    private static void requireRule(int window, Slice slice, int rows, String message) {
        short[] mask = mask(window, slice, rows);
        int slots = KvView.whole(slice).slots();
        for (int row = 0; row < rows; row++) {
            for (int slot = 0; slot < slots; slot++) {
                int position = positionIn(slice, slot);
                boolean seen = position >= 0 && isSeen(window, slice, row, position);
                if (mask[row * slots + slot] != (seen ? CausalMask.SEEN : CausalMask.MASKED)) {
                    assertEquals(
                            seen,
                            mask[row * slots + slot] == CausalMask.SEEN,
                            message + ", row " + row + ", position " + position);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 64, 100, 300, NO_WINDOW})
    void aSlotIsSeenByThePositionThatLiesInIt(int window) {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Draw draw = new Draw(seed);
            int runs = 4 * draw.random.nextInt(1, 5);
            int tokens = draw.random.nextInt(1, 40);
            int first = draw.random.nextInt(5000);
            PageMap pages = draw.pages(runs, first, first + tokens);
            boolean branches = draw.random.nextBoolean();
            Slice slice = draw.slice(first, tokens, branches, pages, runs * Pages.TOKENS);

            requireRule(window, slice, tokens, "seed " + seed + ", " + slice);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 64, 300, NO_WINDOW})
    void aSpanWithoutAMapFollowsTheSameRule(int window) {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Draw draw = new Draw(seed);
            int tokens = draw.random.nextInt(1, 40);
            int first = draw.random.nextInt(980);
            boolean branches = draw.random.nextBoolean();
            Slice slice = draw.slice(first, tokens, branches, PageMap.STRAIGHT, 1024);

            requireRule(window, slice, tokens, "seed " + seed + ", " + slice);
        }
    }

    /** Rows are added so that an operator has whole tiles. */
    @ParameterizedTest
    @ValueSource(ints = {7, NO_WINDOW})
    void rowsBeyondTheTokensSeeWhatTheLastOneSees(int window) {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Draw draw = new Draw(seed);
            int tokens = draw.random.nextInt(1, 9);
            int first = draw.random.nextInt(5000);
            PageMap pages = draw.pages(8, first, first + tokens);
            Slice slice = draw.slice(first, tokens, false, pages, 8 * Pages.TOKENS);

            requireRule(window, slice, tokens + 7, "seed " + seed + ", " + slice);
        }
    }

    /** The columns of a straight mask, in the order of the pages. */
    @ParameterizedTest
    @ValueSource(ints = {1, 70, NO_WINDOW})
    void pagesInAnotherOrderPermuteTheColumns(int window) {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Draw draw = new Draw(seed);
            int tokens = draw.random.nextInt(1, 40);
            int first = draw.random.nextInt(1024 - 40);
            int[] order = new int[16];
            Arrays.setAll(order, page -> page);
            for (int i = order.length - 1; i > 0; i--) {
                int other = draw.random.nextInt(i + 1);
                int page = order[i];
                order[i] = order[other];
                order[other] = page;
            }
            boolean branches = draw.random.nextBoolean();
            Draw same = new Draw(seed);
            Slice straight = same.slice(first, tokens, branches, PageMap.STRAIGHT, 1024);
            Slice shuffled =
                    new Slice(
                            1,
                            straight.tokens(),
                            new SlicePlace(
                                    first,
                                    straight.slots(),
                                    1,
                                    1,
                                    SlicePlace.NO_STASH,
                                    PageMap.of(order)),
                            OutputRows.NONE,
                            SliceKind.ROWS,
                            straight.tree());

            short[] expected = mask(window, straight, tokens);
            short[] found = mask(window, shuffled, tokens);

            int attended = KvView.whole(straight).slots();
            for (int row = 0; row < tokens; row++) {
                for (int slot = 0; slot < 1024; slot++) {
                    int position = order[slot / Pages.TOKENS] * Pages.TOKENS + slot % Pages.TOKENS;
                    // A straight view ends with the block of the last token.
                    short there =
                            position < attended
                                    ? expected[row * attended + position]
                                    : CausalMask.MASKED;
                    assertEquals(
                            there,
                            found[row * 1024 + slot],
                            "seed " + seed + ", row " + row + ", position " + position);
                }
            }
        }
    }

    @Test
    void positionsNearTheLastOneThatThereCanBeAreSeen() {
        int page = Integer.MAX_VALUE / Pages.TOKENS - 1;
        Draw draw = new Draw(1);
        PageMap pages = PageMap.of(new int[] {page, PageMap.EMPTY, page - 1, 0});
        Slice slice = draw.slice(page * Pages.TOKENS + 60, 3, false, pages, 256);

        requireRule(NO_WINDOW, slice, 3, "without a window");
        requireRule(100, slice, 3, "with a window");
    }

    @Test
    void whatRejectedGuessesLeftIsNotSeen() {
        PageMap pages = PageMap.of(new int[] {PageMap.EMPTY, 9, 8, PageMap.EMPTY});
        Slice next = new Draw(1).slice(8 * Pages.TOKENS + 60, 1, false, pages, 256);

        short[] mask = mask(NO_WINDOW, next, 1);

        // Positions behind the token lie in the rest of its page and in the page after it.
        for (int slot = 0; slot < 256; slot++) {
            boolean seen = slot >= 128 && slot <= 128 + 60;
            assertEquals(seen, mask[slot] == CausalMask.SEEN, "slot " + slot);
        }
    }

    /** Each token's rows go where its position lies. */
    @Test
    void theSlotOfATokenIsThatOfItsPosition() {
        PageMap pages = PageMap.of(new int[] {9, PageMap.EMPTY, 8, 0});
        Slice slice = new Draw(1).slice(8 * Pages.TOKENS + 60, 8, false, pages, 256);
        KvView view = KvView.whole(slice);

        int[] slots = new int[8];
        Arrays.setAll(slots, token -> view.slotOf(slice.firstPosition() + token));

        int begin = SlotSpan.BLOCK;
        assertEquals(
                Arrays.toString(
                        new int[] {
                            begin + 188,
                            begin + 189,
                            begin + 190,
                            begin + 191,
                            begin,
                            begin + 1,
                            begin + 2,
                            begin + 3
                        }),
                Arrays.toString(slots));
        assertEquals(begin + 192, view.slotOf(0));
        assertEquals(0, view.indexOf(9 * Pages.TOKENS));
    }
}
