package dev.varve.platform.prefix;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.ChunkKind;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.sequence.ScheduledTokens;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.sequence.TokenList;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.ShardResult;
import dev.varve.testkit.Await;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * A prefix cache over a plain shard, which computes prompts one after the other on the caller's
 * thread. The shard refuses to read what is not where it is looked for, and a number that was
 * restored wrongly changes what comes out.
 */
final class CacheRig implements AutoCloseable {
    static final int CONTEXT = 1024;
    static final CacheScope SCOPE = CacheScope.common();
    static final CacheTypes F32 = new CacheTypes(GgmlType.F32, GgmlType.F32);

    /** Hidden states that are kept where a test wants some. */
    static final FeatureKind STATES = new FeatureKind(List.of(1, 2), 8);

    /** Tokens that are computed at once. */
    private static final int WINDOW = 200;

    /** Nanoseconds of one call that copies. */
    private static final long MOMENT = 50_000_000L;

    /** Copies after which everything should have come: each is of what the shard has at once. */
    private static final int MOST_COPIES = 100;

    private final PlainModel model;
    private final PlainShard shard;
    private final Mover mover = new Mover();
    private final PrefixCache cache;
    private final boolean features;
    private final List<String> wakeUps = new ArrayList<>();
    private long sequences;

    /**
     * The properties of a cache.
     *
     * @param forgets whether the model has state that cannot be cut back
     * @param parallel sequences that have room on the device
     * @param hostBytes of host memory; 0 for none
     * @param features whether hidden states are kept
     */
    record Kind(boolean forgets, int parallel, long hostBytes, boolean features) {
        static Kind of(boolean forgets) {
            return new Kind(forgets, 2, 8 << 20, false);
        }

        Kind parallel(int other) {
            return new Kind(forgets, other, hostBytes, features);
        }

        Kind host(long bytes) {
            return new Kind(forgets, parallel, bytes, features);
        }

        Kind withFeatures() {
            return new Kind(forgets, parallel, hostBytes, true);
        }
    }

    /** Copies to and from the shard at once, unless a test holds or breaks it. */
    static final class Mover implements CacheMover {
        private PlainShard shard;
        private boolean holds;
        private Optional<RuntimeException> failure = Optional.empty();
        private final List<Runnable> held = new ArrayList<>();

        /** Moves are not over before {@link #letGo}. */
        void hold() {
            holds = true;
        }

        void letGo() {
            holds = false;
            held.forEach(Runnable::run);
            held.clear();
        }

        /** Copies fail from now on. */
        void fail(RuntimeException reason) {
            failure = Optional.of(reason);
        }

        void recover() {
            failure = Optional.empty();
        }

        private CompletableFuture<Void> after(CompletableFuture<Void> done) {
            if (failure.isPresent()) {
                return CompletableFuture.failedFuture(failure.get());
            }
            if (!holds) {
                return done;
            }
            CompletableFuture<Void> later = new CompletableFuture<>();
            held.add(() -> later.complete(null));
            return later;
        }

        @Override
        public CompletableFuture<Void> change(CacheChanges changes) {
            return shard.change(changes);
        }

        @Override
        public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
            return failure.isPresent() ? after(null) : after(shard.export(parts, target));
        }

        @Override
        public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
            return failure.isPresent() ? after(null) : after(shard.adopt(parts, source));
        }
    }

    /**
     * The result of a prompt.
     *
     * @param logits of its last token
     */
    record Answer(SequenceCache sequence, PrefixLookupResult use, float[] logits) {}

    CacheRig(Kind kind) {
        this(kind, StorageTierOptions.NONE, Optional.empty());
    }

    CacheRig(Kind kind, StorageTierOptions stores, Optional<CacheEventPublisher> eventPublisher) {
        features = kind.features();
        model = kind.forgets() ? PlainModel.mixed(CONTEXT) : PlainModel.attentionOnly(3, CONTEXT);
        LayerRange all = model.shape().allLayers();
        KvCacheConfig capacity =
                new KvCacheConfig(kind.parallel() * CONTEXT, 2 * kind.parallel() + 2);
        shard =
                new PlainShard(
                        model,
                        all,
                        new PlainShard.Sizes(
                                capacity.slots(),
                                capacity.stateRows(),
                                features ? STATES.captures() : List.of(),
                                RollbackBufferSizes.NONE));
        mover.shard = shard;
        Optional<PrefixCache.HostTierOptions> host =
                kind.hostBytes() == 0
                        ? Optional.empty()
                        : Optional.of(
                                new PrefixCache.HostTierOptions(
                                        CacheLayout.of(
                                                model.shape(), all, F32, 2 * KvSlotSpan.BLOCK),
                                        kind.hostBytes(),
                                        features ? Optional.of(STATES) : Optional.empty(),
                                        mover,
                                        stores,
                                        () -> wakeUp("read")));
        cache =
                PrefixCache.of(
                        capacity,
                        kind.forgets(),
                        host,
                        eventPublisher,
                        new FailureCounter(System::nanoTime));
    }

    private void wakeUp(String why) {
        synchronized (wakeUps) {
            wakeUps.add(why);
        }
    }

    PrefixCache cache() {
        return cache;
    }

    Mover mover() {
        return mover;
    }

    /** A random text. */
    static int[] text(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 61).toArray();
    }

    static int[] join(int[] first, int... second) {
        int[] joined = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        return joined;
    }

    static PrefixQuery request(int[] prompt, CacheScope scope) {
        return new PrefixQuery(
                new TokenList(prompt), ChunkHistory.NONE, scope, RequestedOutput.LAST);
    }

    /** A sequence behind what was found, once that has arrived. */
    Optional<PrefixCache.SequenceAllocation> begin(PrefixQuery request) {
        return cache.begin(request, cache.find(request, true), 0);
    }

    /** Copies all that is to be copied. */
    void move() {
        cache.move(MOMENT, Long.MAX_VALUE);
    }

    /** Copies until nothing more is to be copied. */
    void settle() {
        for (int i = 0; !cache.isIdle(); i++) {
            move(i);
        }
    }

    private void move(int before) {
        if (before == MOST_COPIES) {
            throw new AssertionError("something is copied for ever");
        }
        move();
    }

    /** Computes a prompt, and keeps the sequence running. */
    Answer run(int[] prompt, CacheScope scope, int... stops) {
        PrefixQuery request = request(prompt, scope);
        PrefixCache.SequenceAllocation begun = begin(request).orElseThrow();
        SequenceCache sequence = begun.sequence();
        PrefixLookupResult use;
        if (begun.snapshotImport().isPresent()) {
            SnapshotImport snapshotImport = begun.snapshotImport().get();
            for (int i = 0; !snapshotImport.isComplete(); i++) {
                if (snapshotImport.hasFailed()) {
                    cache.move(MOMENT, Long.MAX_VALUE);
                    cache.drop(sequence);
                    throw new AssertionError("it could not be restored: " + snapshotImport.lost());
                }
                move(i);
            }
            use = cache.started(sequence, snapshotImport);
        } else {
            use = cache.started(request, sequence.computed(), false);
        }
        return new Answer(sequence, use, compute(sequence, prompt, stops));
    }

    /** Computes what a sequence lacks of a prompt; its state is kept at some positions. */
    float[] compute(SequenceCache sequence, int[] prompt, int... stops) {
        long id = sequences++;
        float[] logits = new float[0];
        while (sequence.computed() < prompt.length) {
            int begin = sequence.computed();
            int limit = Math.min(prompt.length, begin + WINDOW);
            int end = Arrays.stream(stops).filter(stop -> stop > begin).min().orElse(limit);
            end = Math.min(end, limit);
            boolean stop = false;
            for (int each : stops) {
                stop |= each == end;
            }
            logits = step(sequence, id, Arrays.copyOfRange(prompt, begin, end), stop);
        }
        return logits;
    }

    private float[] step(SequenceCache sequence, long id, int[] tokens, boolean keepState) {
        int begin = sequence.computed();
        ScheduledTokens advance =
                new ScheduledTokens(
                        sequence, id, tokens, RequestedOutput.LAST, ChunkKind.WINDOW, keepState, 0);
        Batch batch =
                cache.devices().advance(List.of(advance), features ? STATES.captures() : List.of());
        Optional<SnapshotExportTask> export =
                keepState ? cache.exportCheckpoint(sequence) : Optional.empty();
        ShardResult result = shard.forward(batch, Optional.empty()).join();
        if (features) {
            cache.recordFeatures(sequence, begin, result.features(), 0, tokens.length);
        }
        export.ifPresent(SnapshotExportTask::markComputed);
        return Arrays.copyOf(result.logits(), model.shape().vocabularySize());
    }

    /** Computes a prompt and ends its sequence, which is kept. */
    Answer finish(int[] prompt, CacheScope scope, int... stops) {
        Answer answer = run(prompt, scope, stops);
        cache.retain(answer.sequence());
        settle();
        return answer;
    }

    Answer finish(int[] prompt, int... stops) {
        return finish(prompt, SCOPE, stops);
    }

    /** Takes the device's room from all finished sequences; what they computed goes to the host. */
    void pushOff() {
        settle();
        cache.devices().evictAll();
        settle();
    }

    /** The logits of a prompt's last token without any cache. */
    static float[] cold(boolean forgets, int[] prompt) {
        try (CacheRig rig = new CacheRig(Kind.of(forgets).host(0))) {
            return rig.run(prompt, CacheScope.none()).logits();
        }
    }

    /** Waits until a store has been read, and takes in what came. */
    void await(PrefixPrefetch read) {
        while (!read.isOver()) {
            Await.until("something was read", cache::hasEndedLoad);
            cache.poll();
        }
    }

    @Override
    public void close() {
        cache.close();
        shard.close();
    }
}
