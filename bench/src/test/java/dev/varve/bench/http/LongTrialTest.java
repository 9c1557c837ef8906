package dev.varve.bench.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.ServerFailure;

import org.junit.jupiter.api.Test;

import java.util.Map;

class LongTrialTest {
    @Test
    void onlyGapsDuringTheLongPrefillCount() {
        // Before it there is a gap of 70, behind it one of 400.
        Answer stream = Scripted.answer(0, 1_000, 10, 80, 90, 130, 150, 300, 320, 720);
        Answer beside = Scripted.answer(100, 900, 310, 800);

        Map<Metric, Double> figures = LongTrial.figures(stream, beside).figures();

        assertEquals(150.0, figures.get(Metric.LONGEST_GAP), "of 40, 20, 150, 20");
        assertEquals(150.0, figures.get(Metric.GAP_P95));
        assertEquals(210.0, figures.get(Metric.LONG_TTFT));
        assertEquals(1_000.0, figures.get(Metric.WALL));
        assertEquals(100.0, figures.get(Metric.COVERED));
    }

    @Test
    void streamThatEndsDuringTheLongPrefillCoversPartOfIt() {
        Answer stream = Scripted.answer(0, 160, 10, 20, 30, 90, 150);
        Answer beside = Scripted.answer(100, 900, 300);

        Map<Metric, Double> figures = LongTrial.figures(stream, beside).figures();

        assertEquals(25.0, figures.get(Metric.COVERED), "50 of 200");
        assertEquals(900.0, figures.get(Metric.WALL));
    }

    @Test
    void streamThatEndsBeforeTheLongPrefillIsAFailureWithAHint() {
        Answer stream = Scripted.answer(0, 95, 10, 20, 30, 90);
        Answer beside = Scripted.answer(100, 900, 300);

        ServerFailure failure =
                assertThrows(ServerFailure.class, () -> LongTrial.figures(stream, beside));

        assertTrue(failure.getMessage().contains("--tokens"), failure.getMessage());
    }
}
