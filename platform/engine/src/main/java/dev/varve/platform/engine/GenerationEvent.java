package dev.varve.platform.engine;

import dev.varve.api.VarveException;

import java.util.concurrent.BlockingQueue;

/**
 * An event that the engine's thread passes to a thread that waits for a response.
 *
 * @param <T> what is generated: ids of tokens, or their text
 */
public sealed interface GenerationEvent<T> {
    /** Prefill made progress, in tokens. */
    record Prefill<T>(int done, int total) implements GenerationEvent<T> {}

    /** Something was generated. */
    record Output<T>(T value) implements GenerationEvent<T> {}

    /** The generation ended. */
    record End<T>(GenerationEnd end) implements GenerationEvent<T> {}

    /** The generation failed or was cancelled. */
    record Failure<T>(VarveException error) implements GenerationEvent<T> {}

    /**
     * Returns a listener that adds events to an unbounded queue, so that it never blocks the
     * engine.
     */
    static GenerationListener into(BlockingQueue<GenerationEvent<Integer>> queue) {
        return new GenerationListener() {
            @Override
            public void onPrefill(int doneTokens, int promptTokens) {
                queue.add(new Prefill<>(doneTokens, promptTokens));
            }

            @Override
            public boolean onToken(GeneratedToken token) {
                queue.add(new Output<>(token.id()));
                return true;
            }

            @Override
            public void onEnd(GenerationEnd end) {
                queue.add(new End<>(end));
            }

            @Override
            public void onError(VarveException error) {
                queue.add(new Failure<>(error));
            }
        };
    }
}
