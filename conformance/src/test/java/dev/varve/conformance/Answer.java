package dev.varve.conformance;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.Generation;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.sampling.SamplingOptions;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Collects what the engine says about one request. */
final class Answer implements GenerationListener {
    private final List<Integer> tokens = new ArrayList<>();
    private final CompletableFuture<GenerationEnd> end = new CompletableFuture<>();
    private final CountDownLatch firstToken = new CountDownLatch(1);
    private Generation generation;

    static Answer ask(Engine engine, int[] prompt, int count) {
        return ask(engine, prompt, 0, count, SamplingOptions.greedy());
    }

    static Answer ask(
            Engine engine, int[] prompt, int stablePrefix, int count, SamplingOptions sampling) {
        Answer answer = new Answer();
        answer.generation =
                engine.submit(
                        new GenerationRequest(prompt, stablePrefix, count, Set.of(), sampling, -1),
                        answer);
        return answer;
    }

    @Override
    public boolean onToken(GeneratedToken token) {
        tokens.add(token.id());
        firstToken.countDown();
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

    void cancel() {
        generation.cancel();
    }

    void awaitFirstToken() throws InterruptedException {
        if (!firstToken.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("no token within 60 s");
        }
    }

    GenerationEnd end() throws Exception {
        return end.get(120, TimeUnit.SECONDS);
    }

    int[] tokens() throws Exception {
        end();
        return tokens.stream().mapToInt(Integer::intValue).toArray();
    }
}
