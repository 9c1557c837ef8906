package dev.varve.bench.fleet;

import dev.varve.bench.http.Prompts;
import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.ChatClient;
import dev.varve.bench.http.stream.ChatRequest;
import dev.varve.bench.http.stream.Replies;
import dev.varve.bench.http.stream.ServerFailure;
import dev.varve.bench.http.stream.Usage;
import dev.varve.fleet.StepCosts;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Measures what a step of an idle server costs: streams alone and together give base and rows, a
 * long prompt gives columns.
 *
 * @param client client of the server
 * @param prompts texts; those from {@value #FIRST_TEXT} on are used
 */
record StepCalibration(ChatClient client, Prompts prompts) {
    private static final int FIRST_TEXT = 2_000_000;
    private static final int OUTPUT = 48;
    private static final int LONG_WORDS = 600;
    private static final int SHORT_WORDS = 8;

    /** Number of streams that are measured together. */
    static final int STREAMS = 8;

    /**
     * The costs, and the tokens of a word of a prompt.
     *
     * @param costs of steps
     * @param tokensPerWord above 0
     */
    record Measured(StepCosts costs, double tokensPerWord) {}

    /** Measures an idle server; a first request warms it up. */
    Measured measure() {
        stream(0, SHORT_WORDS, OUTPUT);
        double alone = nanosPerToken(stream(1, SHORT_WORDS, OUTPUT));
        List<Answer> together =
                Replies.awaitAll(
                        IntStream.range(0, STREAMS)
                                .mapToObj(i -> client.stream(request(2 + i, SHORT_WORDS, OUTPUT)))
                                .toList());
        double eight =
                together.stream().mapToDouble(StepCalibration::nanosPerToken).average().orElse(0);
        Answer prompt = stream(2 + STREAMS, LONG_WORDS, 1);
        return of(alone, eight, prompt.firstTokenNanos(), usage(prompt).promptTokens());
    }

    /**
     * Returns the costs that explain measurements.
     *
     * @param alone ns per token of one stream
     * @param together ns per token of each of {@value #STREAMS} streams
     * @param promptNanos time to the first token of a long prompt in ns
     * @param promptTokens its tokens
     */
    static Measured of(double alone, double together, long promptNanos, int promptTokens) {
        double row = Math.max(1, (together - alone) / (STREAMS - 1));
        double base = Math.max(0, alone - row);
        double steps = Math.ceilDiv(promptTokens, 512);
        double column = Math.max(1, (promptNanos - steps * base) / promptTokens);
        return new Measured(
                new StepCosts(Math.round(base), Math.round(row), Math.round(column)),
                (double) promptTokens / LONG_WORDS);
    }

    private Answer stream(int number, int words, int tokens) {
        return Replies.await(client.stream(request(number, words, tokens)));
    }

    private ChatRequest request(int number, int words, int tokens) {
        return new ChatRequest(prompts.text(FIRST_TEXT + number, words), tokens);
    }

    private static double nanosPerToken(Answer answer) {
        return (double) (answer.ended() - answer.firstToken()) / (answer.tokens() - 1);
    }

    private static Usage usage(Answer answer) {
        return answer.usage().orElseThrow(() -> new ServerFailure("the server reports no usage"));
    }
}
