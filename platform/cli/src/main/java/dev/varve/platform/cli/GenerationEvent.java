package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;

import java.util.concurrent.BlockingQueue;

/**
 * An event that the engine's thread passes to the printing thread.
 *
 * @param <T> what is generated: ids of tokens, or their text
 */
sealed interface GenerationEvent<T> {
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
