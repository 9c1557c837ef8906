package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.sampling.SamplingOptions;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Collects the tokens of one request. */
class Collected implements GenerationListener {
    private final List<Integer> tokens = new ArrayList<>();
    private final CompletableFuture<GenerationEnd> end = new CompletableFuture<>();
    private int preemptions;

    /** Submits a request for a greedy response. */
    static Collected ask(Engine engine, int[] prompt, int count) {
        return ask(engine, prompt, 0, count);
    }

    static Collected ask(Engine engine, int[] prompt, int stablePrefix, int count) {
        Collected collected = new Collected();
        engine.submit(request(prompt, stablePrefix, count), collected);
        return collected;
    }

    static GenerationRequest request(int[] prompt, int stablePrefix, int count) {
        return new GenerationRequest(
                GenerationRequest.Prompt.of(
                        prompt, stablePrefix == 0 ? new int[0] : new int[] {stablePrefix}),
                new GenerationRequest.Ending(count, Set.of()),
                GenerationRequest.Choice.of(SamplingOptions.greedy()));
    }

    /** Waits for the end of the response and returns its tokens. */
    List<Integer> await() throws Exception {
        end();
        return List.copyOf(tokens);
    }

    boolean isOver() {
        return end.isDone();
    }

    GenerationEnd end() throws Exception {
        return end.get(60, TimeUnit.SECONDS);
    }

    /** Returns how often the request was preempted, once it ended. */
    int preemptions() {
        return preemptions;
    }

    @Override
    public void onPreempt() {
        preemptions++;
    }

    @Override
    public boolean onToken(GeneratedToken token) {
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
