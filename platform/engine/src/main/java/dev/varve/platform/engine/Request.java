package dev.varve.platform.engine;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixLoad;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.sequence.CacheRequest;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.sequence.ChunkBoundaries;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.TokenList;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.PoolGeometry;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A submitted request on its way through the engine. All but {@link #cancel} belongs to the
 * engine's thread.
 */
final class Request implements TransferableRequest {
    /** Tokens behind a position that is kept which are not worth another one. */
    private static final int NEAR = 8;

    /** Where a request stands. */
    private enum Phase {
        WAITING,
        /** It has a place, whose beginning is being copied there. */
        RESTORING,
        PREFILL,
        DECODE,
        ENDED
    }

    private final GenerationRequest request;
    private final GenerationListener listener;
    private long arrival;
    private final Sampler sampler;
    private final TokenList tokens;
    private final int promptLength;
    private final int[] endTokens;

    /** Last position from which the prompt may resume. */
    private final int lastResume;

    /** Positions of the prompt whose state is kept, ascending. */
    private int[] stops;

    /** The last of them, where only one can be kept. */
    private final int[] lastStop;

    private final OutputRows wanted;
    private volatile Runnable wakeUp;
    private final DraftAcceptanceTracker drafts;
    private final RequestClock clock = new RequestClock(System::nanoTime);
    private volatile boolean cancelled;

    /** Any thread may look at it, and at what else is volatile: {@link #progress}. */
    private volatile Phase phase = Phase.WAITING;

    /** Present while the request runs. */
    private CachedSequence sequence;

    /** How to compute what was computed before the sequence lost its place. */
    private ChunkBoundaries replay = new ChunkBoundaries();

    /** Prompt tokens that the listener has heard of. */
    private volatile int reportedPrefill;

    private volatile int generated;
    private int losses;
    private boolean mayRestore = true;
    private boolean askedDisk;
    private boolean askedOthers;
    private Optional<? extends PrefixLoad> read = Optional.empty();
    private Optional<Awaited> awaited = Optional.empty();

    /** Where its sequence began when it got its place, which is kept already. */
    private int begun;

    private int reachedAtLoss;

    /** Where the last tokens of the prompt begin, for which pages are chosen. */
    private final int lookout;

    private CachedSequence lookedOut;

    /** Scores of its pages, which it may have to wait for. */
    private Optional<PendingPageScores.Round> round = Optional.empty();

    private boolean held;
    private boolean suspect;
    private volatile Optional<PrefixLookupResult> cacheUse = Optional.empty();

    /** A running request that is about to compute what another one needs, up to a position. */
    record Awaited(Request runs, CachedSequence place, int position) {}

    /**
     * @param arrival number of the request; the sequence's id
     * @param lastResume last position from which the prompt may resume
     * @param suppressesTokens whether some tokens must never be chosen
     * @param drafts what becomes of guesses
     * @param wakeUp called when the request is cancelled
     */
    Request(
            Engine.Submission submission,
            long arrival,
            int lastResume,
            Sampler sampler,
            boolean suppressesTokens,
            DraftAcceptanceTracker drafts,
            Runnable wakeUp) {
        request = submission.request();
        listener = submission.listener();
        this.arrival = arrival;
        this.sampler = sampler;
        this.drafts = drafts;
        this.wakeUp = wakeUp;
        GenerationRequest.Choice choice = request.choice();
        boolean best =
                choice.sampling().isPlainArgmax()
                        && choice.topLogprobs().isEmpty()
                        && !choice.guide().constrains()
                        && !suppressesTokens;
        wanted = best ? OutputRows.BEST : OutputRows.LAST;
        int[] prompt = request.prompt().tokens();
        tokens = new TokenList(prompt);
        promptLength = prompt.length;
        this.lastResume = lastResume;
        lookout = Math.max(0, promptLength - PoolGeometry.QUESTION);
        sampler.acceptPrompt(prompt);
        stops = stops(request.prompt(), lastResume);
        int last = Math.min(request.prompt().lastBoundary(), lastResume);
        lastStop = last == 0 || stops.length == 0 ? new int[0] : new int[] {last};
        endTokens =
                request.ending().endTokens().stream()
                        .mapToInt(Integer::intValue)
                        .sorted()
                        .toArray();
    }

    /** Positions worth a checkpoint; the last one from which a prompt may resume is one. */
    private static int[] stops(GenerationRequest.Prompt prompt, int lastResume) {
        int[] all = CheckpointPositions.of(prompt);
        if (lastResume >= prompt.length() || !prompt.scope().keeps()) {
            return all;
        }
        return IntStream.concat(
                        Arrays.stream(all).filter(stop -> stop < lastResume),
                        IntStream.of(lastResume).filter(stop -> stop > 0))
                .toArray();
    }

    @Override
    public void cancel() {
        cancelled = true;
        wakeUp.run();
    }

    @Override
    public Optional<GenerationProgress> progress() {
        int cached = cachedTokens();
        return Optional.of(
                new GenerationProgress(
                        state(),
                        promptLength,
                        cached,
                        Math.max(cached, reportedPrefill),
                        generated,
                        clock.answering()));
    }

    private GenerationProgress.State state() {
        return switch (phase) {
            case WAITING ->
                    isNew() ? GenerationProgress.State.QUEUED : GenerationProgress.State.PARKED;
            case RESTORING -> GenerationProgress.State.RESTORING;
            case PREFILL -> GenerationProgress.State.PREFILL;
            case DECODE -> GenerationProgress.State.DECODE;
            case ENDED -> GenerationProgress.State.ENDED;
        };
    }

    boolean isCancelled() {
        return cancelled;
    }

    @Override
    public GenerationListener listener() {
        return listener;
    }

    GenerationRequest.Choice rules() {
        return request.choice();
    }

    /** Most tokens that may be guessed in a step. */
    int mayDraft() {
        return request.mostDrafts();
    }

    /** What becomes of guesses. */
    DraftAcceptanceTracker drafts() {
        return drafts;
    }

    Sampler sampler() {
        return sampler;
    }

    long arrival() {
        return arrival;
    }

    int promptLength() {
        return promptLength;
    }

    /**
     * The next position behind the computed tokens whose state is worth keeping, 0 for none.
     *
     * @param several whether more than one can be kept
     */
    int nextStop(boolean several) {
        int[] all = several ? stops : lastStop;
        int behind = several ? Math.max(sequence.computed(), begun + NEAR) : sequence.computed();
        for (int stop : all) {
            if (stop > behind) {
                return stop;
            }
        }
        return 0;
    }

    /** Keeps the state of one more position of the prompt, if it may resume there. */
    void keepAlso(int position) {
        if (position > lastResume) {
            return;
        }
        stops = IntStream.concat(IntStream.of(stops), IntStream.of(position)).sorted().toArray();
    }

    /**
     * The last position that this request keeps and that another one can go on from.
     *
     * @return 0 if there is none
     */
    int sharedStop(Request other) {
        int shared = 0;
        if (other != this && request.prompt().scope().equals(other.request.prompt().scope())) {
            int usable = Math.min(other.known() - 1, other.lastResume);
            int common = Math.min(tokens.commonPrefix(other.tokens), usable);
            for (int stop : stops) {
                shared = stop <= common ? stop : shared;
            }
        }
        return shared;
    }

    /** Tokens chosen so far. */
    int generated() {
        return generated;
    }

    /** Whether that was the last token it may have. */
    boolean isAtItsLimit() {
        return generated >= request.ending().maxTokens();
    }

    /** Tokens that it may have yet, the next one included. */
    int tokensLeft() {
        return request.ending().maxTokens() - generated;
    }

    /**
     * Where its prompt's last tokens begin, which are tried out to learn what they look for before
     * they are computed.
     */
    int lookout() {
        return lookout;
    }

    /** Whether these are next, and were not tried out in its place. */
    boolean mayLookOut() {
        return sequence.computed() == lookout && lookedOut != sequence;
    }

    /** Whether these are still to come, and were not tried out in its place. */
    boolean isBeforeLookout() {
        return sequence.computed() <= lookout && lookedOut != sequence;
    }

    /** The scores of its pages that were asked for last. */
    Optional<PendingPageScores.Round> round() {
        return round;
    }

    /** Somebody was asked for the scores of its pages. */
    void await(PendingPageScores.Round asked) {
        round = Optional.of(asked);
    }

    /** Whether it computes nothing before it has scores of its pages. */
    void hold(boolean waits) {
        held = waits;
    }

    /** Whether it waits for scores of its pages. */
    boolean isHeld() {
        return held && round.filter(each -> !each.isOver()).isPresent();
    }

    /** They are tried out. */
    void lookOut() {
        lookedOut = sequence;
    }

    /** Slots that its sequence may need beside those that it has. */
    int slotsToCome(KvCacheManager cache) {
        int most = cache.mostSlots(promptLength + request.ending().maxTokens());
        return Math.max(0, most - sequence.span().capacity());
    }

    /**
     * Only the best token where nothing else is needed to choose, so that logits need not be
     * copied.
     */
    OutputRows wanted() {
        return wanted;
    }

    CacheRequest cacheRequest() {
        return new CacheRequest(
                tokens, promptLength, lastResume, replay, request.prompt().scope(), wanted);
    }

    ChunkBoundaries replay() {
        return replay;
    }

    /** Where it computes; only while it runs. */
    CachedSequence sequence() {
        return sequence;
    }

    /** Prompt and answer, as far as they are known. */
    TokenList tokens() {
        return tokens;
    }

    /** Tokens that follow the computed ones, up to a position. */
    int[] tokensUpTo(int end) {
        return tokens.range(sequence.computed(), end);
    }

    boolean isInPrefill() {
        return phase == Phase.PREFILL;
    }

    boolean isInDecode() {
        return phase == Phase.DECODE;
    }

    /** It was in a step that failed, and is tried without others until it gets further. */
    void suspect() {
        suspect = true;
    }

    /** Whether it is tried without others, since it may be why a step failed. */
    boolean isSuspect() {
        return suspect;
    }

    /** Whether it has a place in the caches and is worked on. */
    boolean isRunning() {
        return phase == Phase.RESTORING || phase == Phase.PREFILL || phase == Phase.DECODE;
    }

    /** Whether the beginning of its sequence is not in the caches yet. */
    boolean isRestoring() {
        return phase == Phase.RESTORING;
    }

    /** Whether this request computes, for the first time, the prompt that another one needs. */
    boolean computesPromptOf(Request other) {
        return (isInPrefill() || isRestoring()) && hasPromptOf(other);
    }

    /** Whether both have the same prompt, of which nothing was answered, in the same scope. */
    boolean hasPromptOf(Request other) {
        return other != this
                && request.prompt().scope().keeps()
                && !isGenerating()
                && !other.isGenerating()
                && request.prompt().scope().equals(other.request.prompt().scope())
                && tokens.sameAs(other.tokens);
    }

    boolean isEndToken(int token) {
        return Arrays.binarySearch(endTokens, token) >= 0;
    }

    /** Leaves the queue; a preempted request does so again. */
    void run(CachedSequence place) {
        sequence = place;
        begun = place.computed() == 0 ? -NEAR : place.computed();
        phase = Phase.PREFILL;
        clock.start();
    }

    /** Whether its listener has not heard that it runs. */
    boolean isNew() {
        return cacheUse.isEmpty();
    }

    /** Its place waits for what host memory has of it. */
    void restore() {
        phase = Phase.RESTORING;
    }

    /** The beginning is there. */
    void restored() {
        phase = Phase.PREFILL;
    }

    /** Host memory could not restore it; it is not tried again. */
    void failedToRestore() {
        mayRestore = false;
    }

    boolean mayRestore() {
        return mayRestore;
    }

    /** Takes note of what is read for it from disk, if anything is; it does not ask again. */
    void askDisk(Optional<? extends PrefixLoad> load) {
        askedDisk = true;
        read = load;
    }

    boolean hasAskedDisk() {
        return askedDisk;
    }

    /** Likewise of what comes from a store that others share. */
    void askOthers(Optional<? extends PrefixLoad> load) {
        askedOthers = true;
        read = load;
    }

    boolean hasAskedOthers() {
        return askedOthers;
    }

    /** Whether a store is being read for it. */
    boolean awaitsDisk() {
        return read.filter(load -> !load.isOver()).isPresent();
    }

    /** Whether it has no place yet, and still wants one. */
    boolean isWaiting() {
        return phase == Phase.WAITING && !cancelled;
    }

    /** It waits for a running request to reach a position that both have in common. */
    void await(Request runs, int position) {
        awaited = Optional.of(new Awaited(runs, runs.sequence(), position));
    }

    /** What it waits for, if that still runs. */
    Optional<Awaited> awaited() {
        awaited = awaited.filter(each -> each.runs().sequenceIs(each.place()));
        return awaited;
    }

    private boolean sequenceIs(CachedSequence place) {
        return isRunning() && sequence == place;
    }

    /** All known tokens are computed: the next ones are chosen. */
    void decode() {
        phase = Phase.DECODE;
    }

    /** Goes back to the queue, to be computed again as it was. */
    void loseSequence() {
        // What was only copied was not computed for this request, and guesses are no part of it.
        ChunkBoundaries done =
                isRestoring() ? ChunkBoundaries.NONE : sequence.cuts().endingBy(known());
        replay = done.end() >= replay.end() ? done : replay;
        sequence = null;
        held = false;
        phase = Phase.WAITING;
    }

    /**
     * Goes to the queue of another engine of the same model, which has nothing of it but its tokens
     * and how they were computed. It was taken from the engine that it was in.
     *
     * @param number as that engine counts
     * @param cancelled called when the request is cancelled
     */
    void moveTo(long number, Runnable cancelled) {
        arrival = number;
        // Before somebody else may look at it: who cancels it wakes the one or the other.
        wakeUp = cancelled;
        mayRestore = true;
        askedDisk = false;
        askedOthers = false;
        read = Optional.empty();
        awaited = Optional.empty();
        lookedOut = null;
        round.ifPresent(PendingPageScores.Round::drop);
        round = Optional.empty();
    }

    /** Nothing more will be done for it. */
    void leave() {
        round.ifPresent(PendingPageScores.Round::drop);
        phase = Phase.ENDED;
    }

    /** Takes note of a loss. Returns how often it happened since the request last got further. */
    int countLoss() {
        int reached = reportedPrefill + generated;
        losses = reached > reachedAtLoss ? 1 : losses + 1;
        reachedAtLoss = reached;
        return losses;
    }

    /**
     * Takes note of prompt tokens that are computed.
     *
     * @return whether the listener has not heard of as many
     */
    boolean reachPrefill(int done) {
        boolean news = done > reportedPrefill;
        suspect &= !news;
        reportedPrefill = Math.max(done, reportedPrefill);
        return news;
    }

    /** Tokens to compute before the next one can be chosen. */
    int known() {
        return tokens.size();
    }

    /** Known tokens that no forward has computed or is about to. */
    int tokensToCompute() {
        return known() - sequence.computed();
    }

    /** Whether a token was chosen after the prompt. */
    boolean isGenerating() {
        return tokens.size() > promptLength;
    }

    void countToken() {
        suspect = false;
        if (generated++ == 0) {
            clock.firstToken();
        }
    }

    /** Tokens of the prompt that needed no computing when it first ran. */
    int cachedTokens() {
        return cacheUse.map(PrefixLookupResult::tokens).orElse(0);
    }

    /** Takes note of what the prefix cache was good for. */
    void usedCache(PrefixLookupResult use) {
        cacheUse = Optional.of(use);
    }

    /**
     * How it ended.
     *
     * @param policy what decided which of its pages stay; empty where all do
     */
    GenerationEnd end(GenerationEnd.Reason reason, Optional<PagePolicy> policy) {
        return new GenerationEnd(
                reason,
                new GenerationEnd.Tokens(promptLength, cachedTokens(), generated),
                clock.end(),
                cacheUse.orElseGet(() -> PrefixLookupResult.missed(MissReason.UNKNOWN)),
                drafts.figures(),
                policy.flatMap(
                        chosen ->
                                sequence.pageFigures()
                                        .map(
                                                pages ->
                                                        new GenerationEnd.Paging(
                                                                chosen,
                                                                pages.counts(),
                                                                pages.resident(),
                                                                pages.onHost()))));
    }
}
