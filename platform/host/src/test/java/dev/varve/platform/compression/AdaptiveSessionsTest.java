package dev.varve.platform.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.compression.selection.KeepRatio;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;

class AdaptiveSessionsTest {
    private final AdaptiveSessions sessions = new AdaptiveSessions();

    private static AdaptiveKeepRatio after(double... acceptances) {
        return Arrays.stream(acceptances)
                .boxed()
                .reduce(AdaptiveKeepRatio.START, AdaptiveKeepRatio::after, (a, b) -> b);
    }

    private void finish(String session, double acceptance) {
        sessions.finished(session, acceptance);
    }

    @Test
    void initialKeepRatioIsOneTenth() {
        assertEquals(new KeepRatio(0.1), AdaptiveKeepRatio.START.keep());
        assertEquals(0, AdaptiveKeepRatio.START.rate());
        assertEquals(0, AdaptiveKeepRatio.START.turns());
    }

    @Test
    void firstTurnSetsTheMean() {
        AdaptiveKeepRatio first = after(0.82);

        assertEquals(0.82, first.rate());
        assertEquals(1, first.turns());
        assertEquals(new KeepRatio(0.1), first.keep());
    }

    @Test
    void laterTurnsCountLess() {
        assertEquals(0.74, after(0.8, 0.6).rate(), 1e-12);
        assertEquals(2, after(0.8, 0.6).turns());
    }

    @ParameterizedTest
    @CsvSource({
        "0.86, 95",
        "0.90, 95",
        "0.92, 90",
        "1,    90",
        "0.85, 100",
        "0.80, 100",
        "0.75, 100",
        "0.74, 105",
        "0.70, 105",
        "0.69, 110",
        "0,    110",
    })
    void highAcceptanceLowersTheKeepRatioAndLowAcceptanceRaisesIt(
            double acceptance, int thousandths) {
        assertEquals(thousandths, after(acceptance).thousandths());
    }

    @Test
    void highAcceptanceLowersTheKeepRatioStepByStep() {
        AdaptiveKeepRatio keep = AdaptiveKeepRatio.START;
        for (int turn = 0; turn < 10; turn++) {
            AdaptiveKeepRatio next = keep.after(0.9);

            assertTrue(next.thousandths() < keep.thousandths(), "turn " + turn);
            keep = next;
        }
        assertTrue(keep.keep().value() < 0.1);
    }

    @Test
    void keepRatioHasBothBounds() {
        double[] turns = new double[50];
        assertEquals(200, after(turns).thousandths());

        Arrays.fill(turns, 1);
        assertEquals(25, after(turns).thousandths());
    }

    @Property(tries = 200)
    void keepRatioIsAlwaysWithinItsBounds(
            @ForAll @Size(max = 60) List<@DoubleRange(min = 0, max = 1) Double> acceptances) {
        AdaptiveKeepRatio keep = AdaptiveKeepRatio.START;
        for (double acceptance : acceptances) {
            AdaptiveKeepRatio next = keep.after(acceptance);

            assertTrue(next.thousandths() >= 25 && next.thousandths() <= 200, next.toString());
            assertTrue(Math.abs(next.thousandths() - keep.thousandths()) <= 10, next.toString());
            keep = next;
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
    void acceptanceRateIsARatio(double acceptance) {
        assertThrows(
                IllegalArgumentException.class, () -> AdaptiveKeepRatio.START.after(acceptance));
    }

    @Test
    void sessionsAreIndependent() {
        finish("good", 0.90);
        finish("bad", 0.50);

        assertTrue(sessions.find("good").keep().value() < sessions.find("bad").keep().value());
        assertEquals(AdaptiveKeepRatio.START, sessions.find("unknown"));
    }

    @Test
    void sessionContinuesFromTurnToTurn() {
        finish("a", 0.95);
        finish("a", 0.95);
        finish("a", 0.95);

        assertEquals(3, sessions.find("a").turns());
        assertEquals(70, sessions.find("a").thousandths());
    }

    @Test
    void turnWithoutAcceptedDraftTokensCounts() {
        finish("a", 0);
        assertEquals(110, sessions.find("a").thousandths());
    }

    @Test
    void leastRecentlyUsedSessionsAreForgotten() {
        finish("pinned", 0.95);
        AdaptiveKeepRatio pinned = sessions.find("pinned");
        for (int i = 0; i < 1124; i++) {
            finish("session " + i, 0.5);
            sessions.find("pinned");
        }

        assertEquals(pinned, sessions.find("pinned"));
        assertEquals(AdaptiveKeepRatio.START, sessions.find("session 0"));
        assertEquals(110, sessions.find("session 1123").thousandths());
    }
}
