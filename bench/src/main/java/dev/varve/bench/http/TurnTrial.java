package dev.varve.bench.http;

import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.ChatClient;
import dev.varve.bench.http.stream.ChatRequest;
import dev.varve.bench.http.stream.Replies;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One client that sends short chats one after the other. */
record TurnTrial(ChatClient client, PromptBatches prompts, int tokens) implements Trial {
    @Override
    public Sample run(int round) {
        List<Answer> answers = new ArrayList<>();
        for (String prompt : prompts.round(round)) {
            answers.add(Replies.await(client.stream(new ChatRequest(prompt, tokens))));
        }
        return figures(answers);
    }

    /** The figures of turns, medians over them. */
    static Sample figures(List<Answer> turns) {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(
                Metric.TURN_P50,
                Percentiles.of(turns.stream().map(Answer::nanos).toList()).millis(50));
        figures.put(
                Metric.TTFT_P50,
                Percentiles.of(turns.stream().map(Answer::firstTokenNanos).toList()).millis(50));
        List<Long> perToken =
                turns.stream()
                        .filter(turn -> turn.tokens() > 1)
                        .map(turn -> decodeNanos(turn) / (turn.tokens() - 1))
                        .toList();
        if (!perToken.isEmpty()) {
            figures.put(Metric.TIME_PER_TOKEN, Percentiles.of(perToken).millis(50));
        }
        Tokens.put(figures, turns);
        return new Sample(figures);
    }

    /**
     * From the first text to the end; the last tokens may have no text that shows when they came.
     */
    private static long decodeNanos(Answer turn) {
        return turn.ended() - turn.firstToken();
    }
}
