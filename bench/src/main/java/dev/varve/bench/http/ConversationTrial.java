package dev.varve.bench.http;

import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.ChatClient;
import dev.varve.bench.http.stream.ChatRequest;
import dev.varve.bench.http.stream.Replies;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One client with a chat of several turns: each request has all earlier questions and answers. */
record ConversationTrial(ChatClient client, PromptBatches questions, int tokens) implements Trial {
    @Override
    public Sample run(int round) {
        List<String> messages = new ArrayList<>();
        List<Answer> turns = new ArrayList<>();
        for (String question : questions.round(round)) {
            messages.add(question);
            StringBuilder content = new StringBuilder();
            turns.add(
                    Replies.await(
                            client.stream(
                                    new ChatRequest(messages, tokens, ChatRequest.End.END_TOKEN),
                                    _ -> {},
                                    content::append)));
            messages.add(content.toString());
        }
        return figures(turns);
    }

    /** The figures of the turns of one chat. */
    static Sample figures(List<Answer> turns) {
        List<Long> first = turns.stream().map(ConversationTrial::firstTokenNanos).toList();
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.TTFT_SUM, first.stream().mapToLong(Long::longValue).sum() / 1e6);
        figures.put(Metric.TTFT_P50, Percentiles.of(first).millis(50));
        figures.put(Metric.WALL, (turns.getLast().ended() - turns.getFirst().sent()) / 1e6);
        Tokens.put(figures, turns);
        return new Sample(figures);
    }

    /** A model may end its answer at once: its end counts then. */
    private static long firstTokenNanos(Answer turn) {
        return turn.chunks().isEmpty() ? turn.nanos() : turn.firstTokenNanos();
    }
}
