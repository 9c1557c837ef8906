package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;

import java.util.concurrent.BlockingQueue;

/** An event that the engine's thread passes to the printing thread. */
sealed interface GenerationEvent {
    /** Prefill made progress. */
    record Prefill(int done, int total) implements GenerationEvent {}

    /** A token was sampled. */
    record Token(int id) implements GenerationEvent {}

    /** The generation ended. */
    record End(GenerationEnd end) implements GenerationEvent {}

    /** The generation failed. */
    record Failure(VarveException error) implements GenerationEvent {}

    /**
     * Returns a listener that adds events to an unbounded queue, so that it never blocks the
     * engine.
     */
    static GenerationListener into(BlockingQueue<GenerationEvent> queue) {
        return new GenerationListener() {
            @Override
            public void onPrefill(int doneTokens, int promptTokens) {
                queue.add(new Prefill(doneTokens, promptTokens));
            }

            @Override
            public boolean onToken(GeneratedToken token) {
                queue.add(new Token(token.id()));
                return true;
            }

            @Override
            public void onEnd(GenerationEnd end) {
                queue.add(new End(end));
            }

            @Override
            public void onError(VarveException error) {
                queue.add(new Failure(error));
            }
        };
    }
}
