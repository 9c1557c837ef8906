package dev.varve.bench.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.ServerFailure;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class ClientsTrialTest {
    @Test
    void figuresOfConcurrentStreamsFollowFromTheirTimes() {
        Answer first = Scripted.answer(1_000, 1_500, 1_100, 1_110, 1_140, 1_480);
        Answer second = Scripted.answer(1_010, 2_000, 1_310, 1_330, 1_390, 1_990);

        Map<Metric, Double> figures = ClientsTrial.figures(List.of(first, second)).figures();

        assertEquals(8.0, figures.get(Metric.TOKENS_PER_SECOND), "8 chunks in 1 s");
        assertEquals(1_000.0, figures.get(Metric.WALL));
        assertEquals(100.0, figures.get(Metric.TTFT_P50), "of 100 and 300");
        assertEquals(300.0, figures.get(Metric.TTFT_P95));
        assertEquals(30.0, figures.get(Metric.GAP_P50), "of 10, 20, 30, 60, 340, 600");
        assertEquals(600.0, figures.get(Metric.GAP_P95));
        assertEquals(340.0, figures.get(Metric.GAP_MAX), "of the longest ones, 340 and 600");
        assertEquals(600.0, figures.get(Metric.LONGEST_GAP));
        assertEquals(8.0, figures.get(Metric.TOKENS));
        assertFalse(figures.containsKey(Metric.PROMPT_TOKENS), figures.toString());
    }

    @Test
    void serverTokenCountTakesPrecedenceOverChunks() {
        Answer first = Scripted.counted(Scripted.answer(0, 1_000, 100), 20, 7);
        Answer second = Scripted.counted(Scripted.answer(0, 2_000, 100), 30, 9);

        Map<Metric, Double> figures = ClientsTrial.figures(List.of(first, second)).figures();

        assertEquals(8.0, figures.get(Metric.TOKENS_PER_SECOND), "16 tokens in 2 s");
        assertEquals(16.0, figures.get(Metric.TOKENS));
        assertEquals(25.0, figures.get(Metric.PROMPT_TOKENS));
    }

    @Test
    void responsesOfOneChunkHaveNoInterTokenTimes() {
        Map<Metric, Double> figures =
                ClientsTrial.figures(List.of(Scripted.answer(0, 100, 50))).figures();

        assertFalse(figures.containsKey(Metric.GAP_P50), figures.toString());
        assertFalse(figures.containsKey(Metric.LONGEST_GAP), figures.toString());
        assertEquals(50.0, figures.get(Metric.TTFT_P50));
    }

    @Test
    void responseWithoutTextIsAFailure() {
        Answer silent = Scripted.counted(Scripted.answer(0, 100), 5, 3);

        ServerFailure failure =
                assertThrows(ServerFailure.class, () -> ClientsTrial.figures(List.of(silent)));

        assertTrue(failure.getMessage().contains("3 tokens"), failure.getMessage());
    }
}
