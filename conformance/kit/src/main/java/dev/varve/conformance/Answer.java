package dev.varve.conformance;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.lora.LoraScales;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Collects the events of one request from the engine. */
final class Answer implements GenerationListener {
    private final List<Integer> tokens = Collections.synchronizedList(new ArrayList<>());
    private final List<TokenLogprobs> likely = Collections.synchronizedList(new ArrayList<>());
    private final CompletableFuture<GenerationEnd> end = new CompletableFuture<>();
    private final CountDownLatch firstToken = new CountDownLatch(1);
    private final Map<Integer, Runnable> tokenEvents = new HashMap<>();
    private final TreeMap<Integer, Runnable> prefillEvents = new TreeMap<>();
    private final GenerationRequest request;
    private GenerationHandle generation;

    private Answer(GenerationRequest request) {
        this.request = request;
    }

    static Answer ask(Engine engine, int[] prompt, int count) {
        return ask(engine, prompt, 0, count, SamplingOptions.greedy());
    }

    static Answer ask(
            Engine engine, int[] prompt, int stablePrefix, int count, SamplingOptions sampling) {
        Answer answer =
                new Answer(
                        new GenerationRequest(
                                GenerationRequest.Prompt.of(
                                        prompt,
                                        stablePrefix == 0 ? new int[0] : new int[] {stablePrefix}),
                                new GenerationRequest.Ending(count, Set.of()),
                                GenerationRequest.Choice.of(sampling)));
        answer.submit(engine);
        return answer;
    }

    /** Returns a greedy answer whose request is not submitted yet. */
    static Answer of(int[] prompt, int count) {
        return of(prompt, count, SamplingOptions.greedy());
    }

    /** Likewise, with sampling. */
    static Answer of(int[] prompt, int count, SamplingOptions sampling) {
        return of(prompt, 0, count, sampling);
    }

    /** Likewise, with a checkpoint. */
    static Answer of(int[] prompt, int stablePrefix, int count, SamplingOptions sampling) {
        return new Answer(
                new GenerationRequest(
                        GenerationRequest.Prompt.of(
                                prompt, stablePrefix == 0 ? new int[0] : new int[] {stablePrefix}),
                        new GenerationRequest.Ending(count, Set.of()),
                        GenerationRequest.Choice.of(sampling)));
    }

    /** Returns the same answer, which ends at some tokens. */
    Answer endingAt(Set<Integer> endTokens) {
        return new Answer(request.endingAt(endTokens));
    }

    /** Returns the same answer with a token constraint. */
    Answer guidedBy(TokenConstraint constraint) {
        GenerationRequest.Choice choice = request.choice();
        return new Answer(
                request.choosing(
                        new GenerationRequest.Choice(
                                choice.sampling(), choice.topLogprobs(), constraint)));
    }

    /** Returns the same answer, which reports likely tokens. */
    Answer reporting(int alternatives) {
        GenerationRequest.Choice choice = request.choice();
        return new Answer(
                request.choosing(
                        new GenerationRequest.Choice(
                                choice.sampling(),
                                OptionalInt.of(alternatives),
                                choice.constraint())));
    }

    /** Returns a greedy answer to a prompt that neither reads nor leaves cached prefixes. */
    static Answer apart(int[] prompt, int count) {
        return new Answer(GenerationRequest.greedy(prompt, count).within(CacheScope.none()));
    }

    /** Returns a greedy answer to a prompt with scales of the model's adapters. */
    static Answer adapted(int[] prompt, int count, CacheScope scope, LoraScales scales) {
        return to(new GenerationRequest.Prompt(prompt, new int[0], scope.with(scales)), count);
    }

    /** Returns a greedy answer to a prompt that may have images. */
    static Answer to(GenerationRequest.Prompt prompt, int count) {
        return new Answer(
                new GenerationRequest(
                        prompt,
                        new GenerationRequest.Ending(count, Set.of()),
                        GenerationRequest.Choice.of(SamplingOptions.greedy())));
    }

    /** Submits the requests of several answers at once. */
    static void submit(Engine engine, List<Answer> answers) {
        List<GenerationHandle> generations =
                engine.submit(
                        answers.stream()
                                .map(each -> new Engine.NewRequest(each.request, each))
                                .toList());
        for (int i = 0; i < answers.size(); i++) {
            answers.get(i).generation = generations.get(i);
        }
    }

    /** Runs an action on the engine's thread with the {@code number}th token, from 1. */
    void atToken(int number, Runnable action) {
        tokenEvents.put(number, action);
    }

    /** Runs an action on the engine's thread once so many prompt tokens are computed. */
    void atPrefill(int promptTokens, Runnable action) {
        prefillEvents.put(promptTokens, action);
    }

    void submit(Engine engine) {
        generation = engine.submit(request, this);
    }

    @Override
    public void onPrefill(int doneTokens, int promptTokens) {
        Map<Integer, Runnable> due = prefillEvents.headMap(doneTokens, true);
        List.copyOf(due.values()).forEach(Runnable::run);
        due.clear();
    }

    @Override
    public boolean onToken(GeneratedToken token) {
        tokens.add(token.id());
        token.logprobs().ifPresent(likely::add);
        tokenEvents.getOrDefault(tokens.size(), () -> {}).run();
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

    /** Likely tokens at the place of each token, see {@link #reporting}. */
    List<TokenLogprobs> likely() throws Exception {
        end();
        return List.copyOf(likely);
    }

    /** The tokens so far. */
    int[] soFar() {
        return List.copyOf(tokens).stream().mapToInt(Integer::intValue).toArray();
    }

    int[] tokens() throws Exception {
        end();
        return tokens.stream().mapToInt(Integer::intValue).toArray();
    }
}
