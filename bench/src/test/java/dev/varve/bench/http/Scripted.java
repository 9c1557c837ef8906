package dev.varve.bench.http;

import dev.varve.bench.http.stream.Answer;
import dev.varve.bench.http.stream.Usage;

import java.util.Arrays;
import java.util.Optional;

/** Answers at written times, in milliseconds. */
final class Scripted {
    private Scripted() {}

    static long millis(long count) {
        return count * 1_000_000;
    }

    /** An answer without a count of the server's. */
    static Answer answer(long sent, long ended, long... chunks) {
        return new Answer(
                millis(sent),
                Arrays.stream(chunks).map(Scripted::millis).boxed().toList(),
                millis(ended),
                Optional.empty());
    }

    static Answer counted(Answer answer, int promptTokens, int tokens) {
        return new Answer(
                answer.sent(),
                answer.chunks(),
                answer.ended(),
                Optional.of(new Usage(promptTokens, tokens)));
    }
}
