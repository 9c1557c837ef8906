package dev.varve.platform.engine;

import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.sequence.KvCacheManager;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Has the pages of sequences chosen by somebody who reads their tokens beside the engine. When that
 * is follows from the tokens of a sequence alone, and there the sequence waits for its scores, so
 * that it has the same pages under any load; others go on. Only the engine's thread uses it.
 *
 * <p>Those of a prompt are asked for when it begins and are needed before its last tokens, so that
 * reading and computing go side by side.
 */
final class PendingPageScores {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private final Optional<AsyncPageScorer> reader;
    private final KvCacheManager cache;
    private final Runnable wakeUp;

    /** Scores that a request waits for. */
    static final class Round {
        private final int tokens;
        private CompletableFuture<float[]> scores = new CompletableFuture<>();
        private volatile boolean dropped;

        private Round(int tokens) {
            this.tokens = tokens;
        }

        /** Nobody waits for them any more. */
        void drop() {
            dropped = true;
        }

        boolean isOver() {
            return scores.isDone();
        }
    }

    /**
     * @param reader reads tokens; empty where pages are chosen in another way, or not at all
     * @param wakeUp called from any thread when there are scores
     */
    PendingPageScores(Optional<AsyncPageScorer> reader, KvCacheManager cache, Runnable wakeUp) {
        this.reader = reader;
        this.cache = cache;
        this.wakeUp = wakeUp;
    }

    /**
     * Whether a request waits for scores before it computes anything more. Asks for them if it is
     * time, and chooses its pages once they are there.
     */
    boolean holds(Request request) {
        boolean held = reader.isPresent() && awaitsScores(request);
        request.hold(held);
        return held;
    }

    private boolean awaitsScores(Request request) {
        if (request.isInPrefill()
                && request.isBeforeLookout()
                && cache.choosesPages(request.promptLength())) {
            Round round = round(request, request.promptLength());
            if (!request.mayLookOut()) {
                return false;
            }
            if (round.isOver()) {
                chooseForPrompt(request, round);
                return false;
            }
            return true;
        }
        int computed = request.sequence().computed();
        if (computed <= request.promptLength() || !cache.isChoiceDue(request.sequence())) {
            return false;
        }
        Round round = round(request, Math.min(request.known(), computed + 1));
        if (round.isOver()) {
            choose(request, round);
            return false;
        }
        return true;
    }

    /** What was asked for already, or is now. */
    private Round round(Request request, int tokens) {
        Optional<Round> before = request.round().filter(round -> round.tokens == tokens);
        if (before.isPresent()) {
            return before.get();
        }
        request.round().ifPresent(Round::drop);
        Round round = new Round(tokens);
        request.await(round);
        try {
            round.scores =
                    reader.orElseThrow()
                            .read(
                                    request.tokens().range(0, tokens),
                                    () -> round.dropped || request.isCancelled());
        } catch (RuntimeException e) {
            round.scores = CompletableFuture.failedFuture(e);
        }
        round.scores.whenComplete((scores, failure) -> wakeUp.run());
        return round;
    }

    private void chooseForPrompt(Request request, Round round) {
        request.lookOut();
        take(round)
                .ifPresentOrElse(
                        scores ->
                                cache.choosePagesFor(
                                        request.sequence(), scores, request.promptLength()),
                        () -> cache.skipChoice(request.sequence(), request.promptLength()));
    }

    private void choose(Request request, Round round) {
        take(round)
                .ifPresentOrElse(
                        scores -> cache.choosePages(request.sequence(), scores),
                        () -> cache.skipChoice(request.sequence(), request.sequence().computed()));
    }

    /** The scores; a failure costs this choice alone. */
    private static Optional<float[]> take(Round round) {
        if (round.scores.isCompletedExceptionally()) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "pages stay as they are at {0} tokens",
                    String.valueOf(round.tokens));
            return Optional.empty();
        }
        return Optional.of(round.scores.join());
    }
}
