package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;

import java.util.concurrent.BlockingQueue;

/** What the engine's thread hands to the thread that prints. */
sealed interface GenerationEvent {
    /** Prefill went on. */
    record Prefill(int done, int total) implements GenerationEvent {}

    /** A token was chosen. */
    record Token(int id) implements GenerationEvent {}

    /** The generation ended. */
    record End(GenerationEnd end) implements GenerationEvent {}

    /** The generation failed. */
    record Failure(VarveException error) implements GenerationEvent {}

    /**
     * A listener that puts events into a queue without bound, so that it never blocks the engine.
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
