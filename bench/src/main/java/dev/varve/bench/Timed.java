package dev.varve.bench;

import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.TokenGuide;
import dev.varve.platform.sampling.SamplingOptions;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** A generation, its tokens, and the time of each of them. */
final class Timed extends Awaited {
    final List<Long> times = new ArrayList<>();
    final List<Integer> tokens = new ArrayList<>();

    private Timed() {}

    /** Generates the most likely tokens. */
    static Timed greedy(Engine engine, int[] prompt, int count) {
        return submit(engine, prompt, count, TokenGuide.none());
    }

    /** Generates given tokens, so that the same experts work as in the other run. */
    static Timed submit(Engine engine, int[] prompt, int[] forced) {
        return submit(engine, prompt, forced.length, new Forced(forced));
    }

    private static Timed submit(Engine engine, int[] prompt, int count, TokenGuide guide) {
        return submit(
                engine,
                GenerationRequest.greedy(prompt, count)
                        .choosing(
                                new GenerationRequest.Choice(
                                        SamplingOptions.greedy(), OptionalInt.empty(), guide)));
    }

    /** Generates the response to a request. */
    static Timed submit(Engine engine, GenerationRequest request) {
        Timed timed = new Timed();
        engine.submit(request, timed);
        return timed;
    }

    @Override
    public boolean onToken(GeneratedToken token) {
        times.add(System.nanoTime());
        tokens.add(token.id());
        return true;
    }

    /** Chooses given tokens. */
    private static final class Forced implements TokenGuide {
        private final int[] tokens;
        private int next;

        Forced(int[] tokens) {
            this.tokens = tokens;
        }

        @Override
        public OptionalInt forced() {
            return OptionalInt.of(tokens[next++]);
        }

        @Override
        public void accept(int token) {
            // Only the next token matters.
        }
    }
}
