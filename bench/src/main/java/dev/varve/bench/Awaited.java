package dev.varve.bench;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;

import java.util.concurrent.CompletableFuture;

/** Receives the end of a generation. */
abstract class Awaited implements GenerationListener {
    final CompletableFuture<GenerationEnd> end = new CompletableFuture<>();

    @Override
    public final void onEnd(GenerationEnd how) {
        end.complete(how);
    }

    @Override
    public final void onError(VarveException error) {
        end.completeExceptionally(error);
    }
}
