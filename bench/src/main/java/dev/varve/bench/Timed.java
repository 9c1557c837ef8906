package dev.varve.bench;

import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.sampling.SamplingOptions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/** A generation, its tokens, and the time of each of them. */
final class Timed extends Awaited {
    /** Tokens of each prompt of {@link #together}. */
    static final int PROMPT = 64;

    final List<Long> times = new ArrayList<>();
    final List<Integer> tokens = new ArrayList<>();

    private Timed() {}

    /** Generates the most likely tokens. */
    static Timed greedy(Engine engine, int[] prompt, int count) {
        return submit(engine, prompt, count, TokenConstraint.none());
    }

    /** Generates given tokens, so that the same experts work as in the other run. */
    static Timed submit(Engine engine, int[] prompt, int[] forced) {
        return submit(engine, prompt, forced.length, new Forced(forced));
    }

    private static Timed submit(Engine engine, int[] prompt, int count, TokenConstraint guide) {
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

    /**
     * Generates given tokens in several sequences at once, each with other ids.
     *
     * @param tokens the first {@value #PROMPT} are the prompt
     * @return tokens per second from the moment when all sequences decode until the first one ends
     */
    static double together(Engine engine, int[] tokens, int sequences, int vocabulary)
            throws Exception {
        List<Timed> all = new ArrayList<>();
        for (int sequence = 0; sequence < sequences; sequence++) {
            int shift = sequence;
            int[] own = Arrays.stream(tokens).map(token -> (token + shift) % vocabulary).toArray();
            all.add(
                    submit(
                            engine,
                            Arrays.copyOf(own, PROMPT),
                            Arrays.copyOfRange(own, PROMPT, own.length)));
        }
        for (Timed each : all) {
            each.end.get();
        }
        long begin = all.stream().mapToLong(each -> each.times.getFirst()).max().orElseThrow();
        long end = all.stream().mapToLong(each -> each.times.getLast()).min().orElseThrow();
        long count =
                all.stream()
                        .flatMap(each -> each.times.stream())
                        .filter(time -> time > begin && time <= end)
                        .count();
        return count * 1e9 / (end - begin);
    }

    @Override
    public boolean onToken(GeneratedToken token) {
        times.add(System.nanoTime());
        tokens.add(token.id());
        return true;
    }

    /** Chooses given tokens. */
    private static final class Forced implements TokenConstraint {
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
