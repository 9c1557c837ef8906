package dev.varve.platform.check;

import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.sequence.CacheScope;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The most likely continuation of a prompt.
 *
 * @param tokens chosen tokens
 * @param likely log probabilities of each choice
 * @param end counts and times
 */
record GreedyRun(int[] tokens, List<TokenLogprobs> likely, GenerationEnd end) {
    /** Copies the list. */
    GreedyRun {
        likely = List.copyOf(likely);
    }

    /**
     * Result of a comparison with another run.
     *
     * @param acceptable whether the tokens are equal, or the first other one was too close to call
     * @param text the difference, in words
     */
    record Agreement(boolean acceptable, String text) {}

    /** A request that reuses nothing, for a number of tokens with their log probabilities. */
    static GenerationRequest request(int[] prompt, int tokens) {
        return new GenerationRequest(
                        GenerationRequest.Prompt.of(prompt),
                        new GenerationRequest.Ending(tokens, Set.of()),
                        new GenerationRequest.Choice(
                                SamplingOptions.greedy(),
                                OptionalInt.of(GenerationRequest.Choice.MOST_LOGPROBS),
                                TokenConstraint.none()))
                .within(CacheScope.none());
    }

    /** Runs one request. */
    static GreedyRun of(Engine engine, GenerationRequest request) throws InterruptedException {
        return of(engine, List.of(request)).getFirst();
    }

    /** Runs requests at once. */
    static List<GreedyRun> of(Engine engine, List<GenerationRequest> requests)
            throws InterruptedException {
        List<RequestCollector> collectors = new ArrayList<>();
        List<Engine.NewRequest> submissions = new ArrayList<>();
        for (GenerationRequest request : requests) {
            RequestCollector collector = new RequestCollector();
            collectors.add(collector);
            submissions.add(new Engine.NewRequest(request, collector));
        }
        engine.submit(submissions);
        List<GreedyRun> runs = new ArrayList<>();
        for (RequestCollector collector : collectors) {
            runs.add(collector.await());
        }
        return runs;
    }

    /**
     * Compares with the run of another device. After the first other token the texts differ, so
     * only that one counts.
     *
     * @param tolerance largest difference of two logits between the devices; a token whose lead is
     *     up to twice that is too close to call
     */
    Agreement compare(GreedyRun found, double tolerance) {
        int at = Arrays.mismatch(tokens, found.tokens());
        if (at < 0) {
            return new Agreement(true, "the same " + tokens.length + " tokens");
        }
        if (at >= tokens.length || at >= found.tokens().length) {
            return new Agreement(
                    false, found.tokens().length + " tokens instead of " + tokens.length);
        }
        int other = found.tokens()[at];
        double lead = lead(at, other);
        boolean close = lead <= 2 * tolerance;
        return new Agreement(
                close,
                String.format(
                        Locale.ROOT,
                        close
                                ? "the same %d of %d tokens; the next one leads by %.3g only"
                                : "the same %d of %d tokens; the next one leads by %.3g",
                        at,
                        tokens.length,
                        lead));
    }

    /**
     * Lead of the chosen token over another one, in logits; that of the last one known at least.
     */
    private double lead(int step, int other) {
        List<TokenLogprobs.Alternative> top = likely.get(step).top();
        double second =
                top.stream()
                        .filter(each -> each.id() == other)
                        .findFirst()
                        .orElse(top.getLast())
                        .logprob();
        return likely.get(step).chosen() - second;
    }
}
