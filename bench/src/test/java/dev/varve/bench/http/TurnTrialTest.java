package dev.varve.bench.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.varve.bench.http.stream.Answer;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class TurnTrialTest {
    @Test
    void figuresAreMediansOverTheTurns() {
        Answer quick = Scripted.counted(Scripted.answer(0, 150, 50, 100), 5, 11);
        Answer usual = Scripted.counted(Scripted.answer(200, 460, 260, 300), 5, 11);
        Answer slow = Scripted.counted(Scripted.answer(500, 900, 600, 650), 5, 11);

        Map<Metric, Double> figures = TurnTrial.figures(List.of(slow, quick, usual)).figures();

        assertEquals(260.0, figures.get(Metric.TURN_P50));
        assertEquals(60.0, figures.get(Metric.TTFT_P50));
        assertEquals(20.0, figures.get(Metric.TIME_PER_TOKEN), "of 10, 20 and 30");
        assertEquals(33.0, figures.get(Metric.TOKENS));
    }

    @Test
    void responsesOfOneTokenHaveNoTimePerToken() {
        Map<Metric, Double> figures =
                TurnTrial.figures(List.of(Scripted.answer(0, 100, 50))).figures();

        assertFalse(figures.containsKey(Metric.TIME_PER_TOKEN), figures.toString());
    }
}
