package dev.varve.platform.check;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.sampling.TokenLogprobs;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Collects the tokens of one request. The engine's thread writes; another thread waits. */
final class RequestCollector implements GenerationListener {
    private final List<Integer> tokens = new ArrayList<>();
    private final List<TokenLogprobs> likely = new ArrayList<>();
    private final CompletableFuture<GenerationEnd> end = new CompletableFuture<>();

    @Override
    public boolean onToken(GeneratedToken token) {
        tokens.add(token.id());
        token.logprobs().ifPresent(likely::add);
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

    /**
     * Waits for the end of the request.
     *
     * @throws VarveException if it failed
     */
    GreedyRun await() throws InterruptedException {
        try {
            GenerationEnd how = end.get();
            return new GreedyRun(
                    tokens.stream().mapToInt(Integer::intValue).toArray(), likely, how);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof VarveException failure
                    ? failure
                    : new IllegalStateException(e.getCause());
        }
    }
}
