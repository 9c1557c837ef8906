package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationProgress;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.ReplicaControl;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.SpeculationCounts;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.ShardMemory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** An engine that generates the script of a test, on its own thread like the real engine. */
final class ScriptedEngine extends EngineStub {
    static final int CONTEXT = 100;

    private static final int LOOK_MILLIS = 5;

    final List<GenerationRequest> requests = new ArrayList<>();
    final CountDownLatch submitted = new CountDownLatch(1);

    /** Opens when a request is cancelled, or its listener takes no more. */
    final CountDownLatch cancelled = new CountDownLatch(1);

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private List<int[]> scripts = List.of(new int[0]);
    private int context = CONTEXT;
    private Optional<VarveException> refusal = Optional.empty();
    private Optional<VarveException> failure = Optional.empty();
    private final CompletableFuture<VarveException> broken = new CompletableFuture<>();
    private CountDownLatch start = new CountDownLatch(0);
    private int spoken = Integer.MAX_VALUE;
    private CountDownLatch goOn = new CountDownLatch(0);
    private SpeculationCounts speculation = SpeculationCounts.NONE;
    private Optional<EngineStatus.Outage> outage = Optional.empty();
    private FailureCounter.Report failures = FailureCounter.Report.NONE;
    private List<ShardStatus> shards = List.of();
    private List<ReplicaStatus> replicas = List.of();
    private Optional<ReplicaControl> control = Optional.empty();
    private Optional<RemoteDraftStatus> draft = Optional.empty();
    private Optional<PagingStatus> paging = Optional.empty();
    private GenerationEnd.Speculation guesses = GenerationEnd.Speculation.NONE;
    private Optional<GenerationEnd.Paging> pages = Optional.empty();
    private PrefixLookupResult cacheUse = PrefixLookupResult.missed(MissReason.UNKNOWN);
    private PrefixCacheStatus cache = PrefixCacheStatus.NONE;
    private CompletableFuture<List<CachedPrefixInfo>> entries =
            CompletableFuture.completedFuture(List.of());

    /** How often the cache was cleared. */
    final AtomicInteger clears = new AtomicInteger();

    /** Tokens of every answer. */
    ScriptedEngine says(int... tokens) {
        return saysInTurn(tokens);
    }

    /** Tokens of the first answer, the second and so on; the last counts for all that follow. */
    ScriptedEngine saysInTurn(int[]... answers) {
        scripts = List.of(answers);
        return this;
    }

    ScriptedEngine hasContext(int tokens) {
        context = tokens;
        return this;
    }

    /** Waits before the first token until the latch opens. */
    ScriptedEngine waitsFor(CountDownLatch latch) {
        start = latch;
        return this;
    }

    /** Waits behind some tokens of each answer until the latch opens. */
    ScriptedEngine pausesBehind(int tokens, CountDownLatch latch) {
        spoken = tokens;
        goOn = latch;
        return this;
    }

    /** Sets the engine's counts of draft tokens. */
    ScriptedEngine guessed(SpeculationCounts counts) {
        speculation = counts;
        return this;
    }

    /** Sets the outage that the status reports while requests wait for a lost shard. */
    ScriptedEngine lacksShards(EngineStatus.Outage given) {
        outage = Optional.of(given);
        return this;
    }

    /** Sets the status of the draft model's process. */
    void hasDraft(RemoteDraftStatus given) {
        draft = Optional.of(given);
    }

    /** Sets the status of a bounded cache, and the page counts of every answer. */
    ScriptedEngine pages(PagingStatus status, GenerationEnd.Paging ofAnswers) {
        paging = Optional.of(status);
        pages = Optional.of(ofAnswers);
        return this;
    }

    /** Sets the status of the shards. */
    ScriptedEngine hasShards(ShardStatus... given) {
        shards = List.of(given);
        return this;
    }

    /** The engines that it is said to be the sum of. */
    ScriptedEngine hasReplicas(ReplicaStatus... given) {
        replicas = List.of(given);
        return this;
    }

    /** Sets the control of its replicas. */
    ScriptedEngine isControlledBy(ReplicaControl given) {
        control = Optional.of(given);
        return this;
    }

    @Override
    public Optional<ReplicaControl> replicaControl() {
        return control;
    }

    /** Sets the result of every lookup in the prefix cache. */
    ScriptedEngine finds(PrefixLookupResult use) {
        cacheUse = use;
        return this;
    }

    /** Sets the status and the entries of the prefix cache. */
    ScriptedEngine keeps(PrefixCacheStatus status, CachedPrefixInfo... held) {
        cache = status;
        entries = CompletableFuture.completedFuture(List.of(held));
        return this;
    }

    /** Fails when it is asked what the prefix cache holds, or to clear it. */
    ScriptedEngine hidesItsCache(Throwable reason) {
        entries = CompletableFuture.failedFuture(reason);
        return this;
    }

    /** Refuses requests. */
    ScriptedEngine refuses(VarveException reason) {
        refusal = Optional.of(reason);
        return this;
    }

    /** Fails after the tokens. */
    ScriptedEngine fails(VarveException reason) {
        failure = Optional.of(reason);
        return this;
    }

    /** Can do no more work. */
    ScriptedEngine breaks(VarveException reason) {
        broken.complete(reason);
        return this;
    }

    @Override
    public CompletableFuture<List<CachedPrefixInfo>> cacheEntries() {
        return entries;
    }

    @Override
    public CompletableFuture<Void> clearCache() {
        clears.incrementAndGet();
        return entries.thenApply(held -> null);
    }

    @Override
    public CompletableFuture<VarveException> broken() {
        return broken;
    }

    @Override
    public List<GenerationHandle> submit(List<NewRequest> submissions) {
        return submissions.stream().map(each -> begin(each.request(), each.listener())).toList();
    }

    private GenerationHandle begin(GenerationRequest request, GenerationListener listener) {
        refusal.ifPresent(
                reason -> {
                    throw reason;
                });
        int[] script = scripts.get(Math.min(requests.size(), scripts.size() - 1));
        requests.add(request);
        Speech speech = new Speech(request);
        thread.execute(() -> run(request, script, listener, speech));
        submitted.countDown();
        return speech;
    }

    /** The handle of an answer, which the submitter of the request gets. */
    private final class Speech implements GenerationHandle {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final int promptTokens;
        private volatile GenerationProgress.State state = GenerationProgress.State.QUEUED;
        private volatile int said;

        Speech(GenerationRequest request) {
            promptTokens = request.prompt().length();
        }

        @Override
        public void cancel() {
            if (!stop.getAndSet(true)) {
                cancelled.countDown();
            }
        }

        @Override
        public Optional<GenerationProgress> progress() {
            return Optional.of(
                    new GenerationProgress(
                            state,
                            promptTokens,
                            cacheUse.tokens(),
                            said > 0 ? promptTokens : cacheUse.tokens(),
                            said,
                            said > 0 ? Optional.of(Duration.ofSeconds(2)) : Optional.empty()));
        }

        /** Until a latch opens, or nobody wants the answer any more. */
        void await(CountDownLatch latch) throws InterruptedException {
            while (!latch.await(LOOK_MILLIS, TimeUnit.MILLISECONDS) && !stop.get()) {
                // Again.
            }
        }
    }

    private void run(
            GenerationRequest request, int[] script, GenerationListener listener, Speech speech) {
        try {
            speech.await(start);
        } catch (InterruptedException e) {
            return;
        }
        if (speech.stop.get()) {
            listener.onError(new VarveException(VarveException.Kind.CANCELLED, "cancelled"));
            return;
        }
        speech.state = GenerationProgress.State.DECODE;
        listener.onStart(0);
        int count = 0;
        GenerationEnd.Reason reason = GenerationEnd.Reason.END_TOKEN;
        int next = 0;
        while (true) {
            // The constraint may force tokens; the script continues after them.
            OptionalInt forced = request.choice().constraint().forced();
            if (forced.isEmpty() && next == script.length) {
                break;
            }
            // If the request demands a form, the script contains the forced tokens too.
            boolean agrees =
                    request.choice().constraint().constrains()
                            && forced.isPresent()
                            && next < script.length
                            && script[next] == forced.getAsInt();
            next += agrees ? 1 : 0;
            int token = forced.isPresent() ? forced.getAsInt() : script[next++];
            if (forced.isEmpty() && !request.choice().constraint().allows(token)) {
                // No engine would go on with it.
                break;
            }
            request.choice().constraint().accept(token);
            if (count == spoken) {
                try {
                    speech.await(goOn);
                } catch (InterruptedException e) {
                    return;
                }
            }
            if (speech.stop.get()) {
                listener.onError(new VarveException(VarveException.Kind.CANCELLED, "cancelled"));
                return;
            }
            count++;
            speech.said = count;
            Optional<TokenLogprobs> logprobs =
                    request.choice().topLogprobs().isEmpty()
                            ? Optional.empty()
                            : Optional.of(
                                    new TokenLogprobs(
                                            -0.5f,
                                            List.of(new TokenLogprobs.Alternative(token, -0.5f))));
            if (!listener.onToken(new GeneratedToken(token, logprobs))) {
                reason = GenerationEnd.Reason.STOPPED;
                cancelled.countDown();
                break;
            }
            if (count == request.ending().maxTokens()) {
                reason = GenerationEnd.Reason.LENGTH;
                break;
            }
        }
        if (failure.isPresent()) {
            listener.onError(failure.get());
        } else {
            speech.stop.set(true);
            listener.onEnd(
                    new GenerationEnd(
                            reason,
                            new GenerationEnd.Tokens(
                                    request.prompt().length(), cacheUse.tokens(), count),
                            new GenerationEnd.Times(1, 2, 3),
                            cacheUse,
                            guesses,
                            pages,
                            Optional.empty()));
        }
    }

    /** Steps and optional work that failed so far. */
    ScriptedEngine failures(FailureCounter.Report report) {
        failures = report;
        return this;
    }

    /** Sets the counts of draft tokens for answers that end from now on. */
    ScriptedEngine guesses(GenerationEnd.Speculation counts) {
        guesses = counts;
        return this;
    }

    @Override
    public EngineStatus status() {
        return new EngineStatus(
                new EngineStatus.Load(context, 4, 0, 0),
                new KvSlotUsage(256, 0, 0),
                new ShardMemory(1, 0, 1, 1),
                new EngineStatus.EngineCounters(
                        new EngineStatus.Tokens(0, 0, 0),
                        0,
                        3,
                        0,
                        0,
                        new EngineStatus.Masks(0, 0),
                        failures),
                cache,
                speculation,
                shards,
                draft,
                paging,
                outage,
                replicas);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
