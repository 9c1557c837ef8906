package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationListener;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Collects the tokens of one request. The engine's thread writes; any thread may wait. */
final class GenerationCollector implements GenerationListener {
    private final List<Integer> tokens = new ArrayList<>();
    private final CompletableFuture<int[]> end = new CompletableFuture<>();

    @Override
    public boolean onToken(GeneratedToken token) {
        tokens.add(token.id());
        return true;
    }

    @Override
    public void onEnd(GenerationEnd how) {
        end.complete(tokens.stream().mapToInt(Integer::intValue).toArray());
    }

    @Override
    public void onError(VarveException error) {
        end.completeExceptionally(error);
    }

    /** Waits for the end; an interrupt cancels the request. */
    int[] await(GenerationHandle generation) {
        try {
            return end.get();
        } catch (InterruptedException e) {
            generation.cancel();
            Thread.currentThread().interrupt();
            throw new VarveException(
                    VarveException.Kind.CANCELLED, "the waiting thread was interrupted", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof VarveException failure
                    ? failure
                    : new IllegalStateException(e.getCause());
        }
    }
}
