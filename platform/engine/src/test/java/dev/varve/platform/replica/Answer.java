package dev.varve.platform.replica;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.testkit.Await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Collects the events of a request. */
final class Answer implements GenerationListener {
    private final List<Integer> tokens = new ArrayList<>();
    private final CompletableFuture<GenerationEnd> end = new CompletableFuture<>();
    private int starts;

    List<Integer> await() {
        end();
        synchronized (this) {
            return List.copyOf(tokens);
        }
    }

    GenerationEnd end() {
        return Await.result(end);
    }

    CompletableFuture<GenerationEnd> future() {
        return end;
    }

    synchronized int size() {
        return tokens.size();
    }

    synchronized int starts() {
        return starts;
    }

    @Override
    public synchronized void onStart(int cachedTokens) {
        starts++;
    }

    @Override
    public synchronized boolean onToken(GeneratedToken token) {
        tokens.add(token.id());
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
