package dev.varve.bench.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class ConversationTrialTest {
    @Test
    void timesToTheFirstTokensAreAddedUp() {
        Map<Metric, Double> figures =
                ConversationTrial.figures(
                                List.of(
                                        Scripted.counted(Scripted.answer(0, 100, 40, 90), 5, 11),
                                        Scripted.counted(Scripted.answer(110, 200, 120), 30, 11),
                                        Scripted.counted(Scripted.answer(210, 300, 240), 55, 11)))
                        .figures();

        assertEquals(80.0, figures.get(Metric.TTFT_SUM), "40, 10 and 30");
        assertEquals(30.0, figures.get(Metric.TTFT_P50));
        assertEquals(300.0, figures.get(Metric.WALL));
        assertEquals(33.0, figures.get(Metric.TOKENS));
        assertEquals(30.0, figures.get(Metric.PROMPT_TOKENS));
    }

    @Test
    void responseWithoutTextCountsUpToItsEnd() {
        Map<Metric, Double> figures =
                ConversationTrial.figures(
                                List.of(
                                        Scripted.answer(0, 100, 40),
                                        Scripted.counted(Scripted.answer(110, 125), 30, 1)))
                        .figures();

        assertEquals(55.0, figures.get(Metric.TTFT_SUM));
    }
}
