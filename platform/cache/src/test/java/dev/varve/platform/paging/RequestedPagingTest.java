package dev.varve.platform.paging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.setting.Setting;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Optional;

class RequestedPagingTest {
    private static String refusal(Runnable making) {
        return assertThrows(IllegalArgumentException.class, making::run).getMessage();
    }

    @Test
    void defaultPolicyScoresByQueries() {
        assertEquals(
                new PagingOptions(1024, PagePolicy.QK, 64), RequestedPaging.of(1000).options(1024));
        assertTrue(RequestedPaging.automatic().scores());
        assertEquals(
                new RequestedPaging.Size.Automatic(16_384), RequestedPaging.automatic().size());
    }

    @Test
    void requestedOptionsReachTheEngine() {
        RequestedPaging request =
                new RequestedPaging(
                        new RequestedPaging.Size.Automatic(), Optional.of(PagePolicy.LRU), 7);

        assertEquals(new PagingOptions(512, PagePolicy.LRU, 7), request.options(512));
        assertEquals(new RequestedPaging.Size.Fixed(512), request.sized(512).size());
        assertEquals(request.options(512), request.sized(512).options(512));
        assertTrue(!request.scores());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void poolWithoutTokensIsRefused(int tokens) {
        assertEquals(
                Setting.KVFLASH + ": expected a positive number of tokens or auto, found " + tokens,
                refusal(() -> RequestedPaging.of(tokens)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void selectionIntervalBelowOneTokenIsRefused(int tau) {
        assertEquals(
                Setting.KVFLASH_TAU + ": expected 1 or more, found " + tau,
                refusal(
                        () ->
                                new RequestedPaging(
                                        new RequestedPaging.Size.Fixed(1), Optional.empty(), tau)));
    }

    @Test
    void scorerMemoryIsReservedBesideAnAutomaticPool() {
        assertEquals(
                new RequestedPaging.Size.Automatic(300, 12),
                RequestedPaging.of(new RequestedPaging.Size.Automatic(300, 5)).beside(7).size());
        assertEquals(RequestedPaging.of(512), RequestedPaging.of(512).beside(7));
    }

    @ParameterizedTest
    @CsvSource({"-5, 256", "0, 256", "255, 256", "257, 257"})
    void automaticPoolBoundIsAtLeastABlock(int bound, int most) {
        assertEquals(most, new RequestedPaging.Size.Automatic(bound).mostTokens());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 384, 500, 447, 449})
    void poolThatIsNotWholePagesIsRefused(int tokens) {
        assertThrows(
                IllegalArgumentException.class, () -> new PagingOptions(tokens, PagePolicy.QK, 1));
    }

    @Test
    void minimumPoolOfAnEngineIsSevenPages() {
        assertEquals(448, new PagingOptions(448, PagePolicy.QK, 1).poolTokens());
        assertThrows(
                IllegalArgumentException.class, () -> new PagingOptions(448, PagePolicy.QK, 0));
    }
}
