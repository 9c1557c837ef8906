package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

class AcceptanceRatesTest {
    private static final int DEPTH = 4;
    private static final double EXPECTED = 0.7;

    private final AcceptanceRates rates = new AcceptanceRates(DEPTH);

    private double rate(int depth) {
        return rates.rate(0, depth, EXPECTED);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.3, 1})
    void unmeasuredRateIsThePrior(double expected) {
        for (int grade = 0; grade <= Draft.MOST_GRADE; grade++) {
            for (int depth = 0; depth < DEPTH; depth++) {
                assertEquals(expected, rates.rate(grade, depth, expected), 1e-12);
            }
        }
    }

    @Test
    void oneSampleDoesNotDecide() {
        rates.record(0, 1, 0);

        assertTrue(rate(0) > EXPECTED / 2 && rate(0) < EXPECTED, "rate " + rate(0));
    }

    @Test
    void draftTokensUpToTheFirstRejectedCount() {
        rates.record(0, DEPTH, 2);

        assertTrue(rate(0) > EXPECTED, "right");
        assertTrue(rate(1) > EXPECTED, "right");
        assertTrue(rate(2) < EXPECTED, "wrong");
        assertEquals(EXPECTED, rate(3), 1e-12, "behind a wrong one nothing is known");
    }

    @Test
    void draftTokensWithUnknownOutcomeDoNotCount() {
        rates.record(0, 2, 2);

        assertTrue(rate(1) > EXPECTED);
        assertEquals(0, rates.verifiedWeight(0, 2));
        assertEquals(EXPECTED, rate(2), 1e-12);
    }

    @Test
    void gradesAreMeasuredSeparately() {
        rates.record(3, DEPTH, 0);

        assertEquals(EXPECTED, rates.rate(2, 0, EXPECTED), 1e-12);
        assertEquals(EXPECTED, rates.rate(4, 0, EXPECTED), 1e-12);
        assertTrue(rates.rate(3, 0, EXPECTED) < EXPECTED);
        rates.record(Draft.MOST_GRADE, 1, 1);
        assertTrue(rates.rate(Draft.MOST_GRADE, 0, EXPECTED) > EXPECTED);
    }

    /** The weights of all results fade, and their sum approaches that of 60 draft tokens. */
    @Test
    void olderSamplesCountLess() {
        for (int i = 0; i < 10_000; i++) {
            rates.record(0, 1, 1);
        }
        assertTrue(rate(0) > 0.95, "rate " + rate(0));
        assertEquals(60, rates.verifiedWeight(0, 0), 0.1);

        for (int i = 0; i < 60; i++) {
            rates.record(0, 1, 0);
        }

        assertTrue(rate(0) < 0.5, "as many wrong ones outweigh all: " + rate(0));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.5, 0.9})
    void ratesConvergeToTheAcceptance(double chance) {
        Random random = new Random(7);
        double sum = 0;
        int rounds = 4000;
        for (int i = 0; i < rounds; i++) {
            int right = 0;
            while (right < DEPTH && random.nextDouble() < chance) {
                right++;
            }
            rates.record(0, DEPTH, right);
            assertTrue(rate(0) >= 0 && rate(0) <= 1, "rate " + rate(0));
            sum += rate(0);
        }

        // The prior draws it to what was expected, by 3 in 63.
        assertEquals(chance + 3.0 / 63 * (EXPECTED - chance), sum / rounds, 0.03);
    }
}
