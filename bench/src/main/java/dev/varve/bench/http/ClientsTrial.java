package dev.varve.bench.http;

import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.ChatClient;
import dev.varve.bench.http.stream.ChatRequest;
import dev.varve.bench.http.stream.Replies;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Clients that send requests at the same moment, each with a stream of its own. */
record ClientsTrial(ChatClient client, PromptBatches prompts, int tokens) implements Trial {
    @Override
    public Sample run(int round) {
        List<ChatRequest> requests =
                prompts.round(round).stream()
                        .map(prompt -> new ChatRequest(prompt, tokens))
                        .toList();
        List<CompletableFuture<Answer>> replies = requests.stream().map(client::stream).toList();
        return figures(Replies.awaitAll(replies));
    }

    /** The figures of streams that ran together. */
    static Sample figures(List<Answer> answers) {
        long begin = answers.stream().mapToLong(Answer::sent).min().orElseThrow();
        long end = answers.stream().mapToLong(Answer::ended).max().orElseThrow();
        Percentiles first = Percentiles.of(answers.stream().map(Answer::firstTokenNanos).toList());
        long tokens = answers.stream().mapToLong(Answer::tokens).sum();
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.TOKENS_PER_SECOND, tokens * 1e9 / (end - begin));
        figures.put(Metric.WALL, (end - begin) / 1e6);
        figures.put(Metric.TTFT_P50, first.millis(50));
        figures.put(Metric.TTFT_P95, first.millis(95));
        putGaps(figures, answers);
        Tokens.put(figures, answers);
        return new Sample(figures);
    }

    private static void putGaps(Map<Metric, Double> figures, List<Answer> answers) {
        List<List<Long>> streams =
                answers.stream()
                        .map(answer -> answer.gaps().stream().map(Answer.Gap::nanos).toList())
                        .filter(gaps -> !gaps.isEmpty())
                        .toList();
        if (streams.isEmpty()) {
            return;
        }
        Stream<Long> longest =
                streams.stream().map(gaps -> gaps.stream().max(Long::compare).orElseThrow());
        Percentiles all = Percentiles.of(streams.stream().flatMap(List::stream).toList());
        figures.put(Metric.GAP_P50, all.millis(50));
        figures.put(Metric.GAP_P95, all.millis(95));
        figures.put(Metric.GAP_MAX, Percentiles.of(longest.toList()).millis(50));
        figures.put(Metric.LONGEST_GAP, all.millis(100));
    }
}
