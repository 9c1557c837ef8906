package dev.varve.bench.http;

import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.ChatClient;
import dev.varve.bench.http.stream.ChatRequest;
import dev.varve.bench.http.stream.Replies;
import dev.varve.bench.http.stream.ServerFailure;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A stream beside which a long prompt is sent after its first tokens. Of each batch of prompts the
 * first is the stream's.
 */
record LongTrial(ChatClient client, PromptBatches streams, PromptBatches longs, int tokens)
        implements Trial {
    /** Chunks of the stream before the long prompt is sent. */
    static final int LEAD = 4;

    /** The answer to the long prompt only shows that it was computed. */
    static final int LONG_ANSWER_TOKENS = 8;

    @Override
    public Sample run(int round) {
        ChatRequest shortRequest = new ChatRequest(streams.round(round).getFirst(), tokens);
        ChatRequest longRequest =
                new ChatRequest(longs.round(round).getFirst(), LONG_ANSWER_TOKENS);
        CompletableFuture<Void> running = new CompletableFuture<>();
        CompletableFuture<Answer> stream =
                client.stream(
                        shortRequest,
                        chunks -> {
                            if (chunks == LEAD) {
                                running.complete(null);
                            }
                        });
        Replies.await(CompletableFuture.anyOf(running, stream));
        if (!running.isDone()) {
            throw tooShort();
        }
        List<Answer> both = Replies.awaitAll(List.of(stream, client.stream(longRequest)));
        return figures(both.get(0), both.get(1));
    }

    private static ServerFailure tooShort() {
        return new ServerFailure(
                "the stream ended before the long prompt was computed; expected more than "
                        + LEAD
                        + " chunks with text (--tokens)");
    }

    /** The figures of a stream and of the long prompt that was sent while it ran. */
    static Sample figures(Answer stream, Answer beside) {
        long begin = beside.sent();
        long end = beside.firstToken();
        List<Long> gaps =
                stream.gaps().stream()
                        .filter(gap -> gap.meets(begin, end))
                        .map(Answer.Gap::nanos)
                        .toList();
        if (gaps.isEmpty()) {
            throw tooShort();
        }
        Percentiles times = Percentiles.of(gaps);
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.LONGEST_GAP, times.millis(100));
        figures.put(Metric.GAP_P95, times.millis(95));
        figures.put(Metric.LONG_TTFT, beside.firstTokenNanos() / 1e6);
        figures.put(Metric.WALL, (Math.max(stream.ended(), beside.ended()) - stream.sent()) / 1e6);
        long watched = Math.min(stream.chunks().getLast(), end) - begin;
        figures.put(Metric.COVERED, 100.0 * watched / (end - begin));
        Tokens.put(figures, List.of(beside));
        return new Sample(figures);
    }
}
