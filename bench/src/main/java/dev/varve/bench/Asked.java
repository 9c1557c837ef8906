package dev.varve.bench;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;

import java.util.concurrent.CompletableFuture;

/** Waits for the end of a generation. */
final class Asked implements GenerationListener {
    private final CompletableFuture<GenerationEnd> end = new CompletableFuture<>();

    private Asked() {}

    /** Starts a greedy generation of {@code count} tokens. */
    static CompletableFuture<GenerationEnd> submit(Engine engine, int[] prompt, int count) {
        Asked asked = new Asked();
        engine.submit(GenerationRequest.greedy(prompt, count), asked);
        return asked.end;
    }

    @Override
    public boolean onToken(GeneratedToken token) {
        return true;
    }

    @Override
    public void onEnd(GenerationEnd how) {
        end.complete(how);
    }

    @Override
    public void onError(VarveException error) {
        end.completeExceptionally(error);
    }
}
