package dev.varve.platform.paging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.PagePoolSizing;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PagingOptionsTest {
    @ParameterizedTest
    @ValueSource(ints = {448, 512, 768, 131072})
    void poolMayBeAnyNumberOfPagesFromTheMinimum(int pool) {
        assertEquals(pool, new PagingOptions(pool, PagePolicy.LRU, 64).poolTokens());
    }

    /** One page that may leave, and the one that is written, beside those that must stay. */
    @Test
    void minimumPoolHasSinksATailAndTwoPages() {
        assertEquals(448, PagePoolSizing.LEAST);
    }

    @ParameterizedTest
    @ValueSource(ints = {384, 500, 447, 449, 0, -512, 64})
    void smallPoolAndPartialPagesAreRefused(int pool) {
        IllegalArgumentException refusal =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> new PagingOptions(pool, PagePolicy.LRU, 64));

        assertTrue(refusal.getMessage().endsWith("got " + pool), refusal.getMessage());
    }

    @Test
    void selectionIntervalIsAtLeastOneToken() {
        assertEquals(1, new PagingOptions(512, PagePolicy.QK, 1).tau());
        assertThrows(
                IllegalArgumentException.class, () -> new PagingOptions(512, PagePolicy.QK, 0));
        assertThrows(NullPointerException.class, () -> new PagingOptions(512, null, 1));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "63, 0, 1", "64, 1, 1", "65, 1, 2", "511, 7, 8", "512, 8, 8"})
    void pageHas64Positions(int position, int page, int pages) {
        assertEquals(page, PagePoolSizing.pageOf(position));
        assertEquals(pages, PagePoolSizing.pages(position));
    }

    @Test
    void countsAddUp() {
        PagingCounts one = new PagingCounts(1, 2, 3, 4, 5, 6);

        assertEquals(new PagingCounts(2, 4, 6, 8, 10, 12), one.plus(one));
        assertEquals(one, one.plus(PagingCounts.NONE));
        assertEquals(1.2, one.recallHitRate(), 1e-9);
        assertEquals(0, PagingCounts.NONE.recallHitRate());
    }
}
