package dev.varve.bench.http;

import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.Usage;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Figures of the computed tokens, which show whether two sides did the same work. */
final class Tokens {
    private Tokens() {}

    /** Adds the tokens of all answers, and those of a prompt where the server counts them. */
    static void put(Map<Metric, Double> figures, List<Answer> answers) {
        figures.put(Metric.TOKENS, (double) answers.stream().mapToLong(Answer::tokens).sum());
        answers.stream()
                .map(Answer::usage)
                .flatMap(Optional::stream)
                .mapToInt(Usage::promptTokens)
                .average()
                .ifPresent(mean -> figures.put(Metric.PROMPT_TOKENS, mean));
    }
}
