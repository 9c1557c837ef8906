package dev.varve.platform.engine;

import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.sequence.ChunkKind;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.ScheduledTokens;
import dev.varve.platform.sequence.TokenLogits;
import dev.varve.platform.shard.AcceptedPath;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.ShardResult;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Builds the decode part of a batch and processes its result. The input of a sequence is its last
 * token plus draft tokens; the result is the accepted draft tokens plus one. If the next tokens are
 * forced, they replace the draft tokens: all of them count, and no rollback is needed. Runs per
 * token: plain loops.
 */
final class DecodeScheduler {
    /** Most forced tokens of a step; with the known token they fill a group of columns. */
    static final int MOST_FORCED = 15;

    private static final int[] NOTHING = {};

    private final RunningRequests running;
    private final KvCacheManager cache;
    private final InFlightBatches inFlight;
    private final TokenSelector selector;
    private final PrefixCache prefix;
    private final DraftProposer draftProposer;
    private final PendingPageScores rounds;
    private final int contextTokens;

    /**
     * The tokens that a request computes in a step.
     *
     * @param forcedTokens forced tokens after the last one; if there are any, there are no draft
     *     tokens
     * @param draftTokens draft tokens after the last one
     * @param inline whether the engine's thread computes the batch, and can then check which rows
     *     it needs
     */
    private record RequestStep(
            Request request, int[] forcedTokens, DraftTokens draftTokens, boolean inline) {
        /**
         * Returns all rows if there are draft tokens, since each row verifies one. Whether the best
         * tokens of a row decide a choice can be checked if the tokens before it are known.
         */
        RequestedOutput outputs() {
            boolean one = draftTokens.count() == 0;
            if (request.requestedOutput().isBest()) {
                return one ? RequestedOutput.BEST : RequestedOutput.BEST_EACH;
            }
            boolean checks = inline && one && forcedTokens.length == 0;
            if (request.needsTopOnly() || checks && request.mayNeedTopOnly()) {
                return one ? RequestedOutput.TOP : RequestedOutput.TOP_EACH;
            }
            return one ? RequestedOutput.LAST : RequestedOutput.ALL;
        }

        /** Returns the input tokens: the last known one, then forced or draft tokens. */
        int[] tokens() {
            int[] known = request.tokensUpTo(request.known());
            int[] ahead = forcedTokens.length > 0 ? forcedTokens : draftTokens.tokens();
            if (ahead.length == 0) {
                return known;
            }
            int[] all = Arrays.copyOf(known, known.length + ahead.length);
            System.arraycopy(ahead, 0, all, known.length, ahead.length);
            return all;
        }
    }

    /**
     * @param contextTokens maximum tokens of a sequence
     */
    DecodeScheduler(EngineContext state, int contextTokens) {
        running = state.running();
        cache = state.cache();
        inFlight = state.inFlight();
        selector = state.selector();
        prefix = state.prefix();
        draftProposer = state.draftProposer();
        rounds = state.pages();
        this.contextTokens = contextTokens;
    }

    /**
     * Returns the entries of requests in decode that are in no batch, those that wait longest
     * first. May preempt requests to free slots.
     *
     * @param most maximum number of requests
     */
    List<BatchEntry> entries(int most) {
        List<RequestStep> steps = new ArrayList<>(running.size());
        List<Request> requests = ready(most);
        Map<Request, int[]> forcedTokens = forcedTokens(requests);
        requests.removeIf(request -> !request.isInDecode());
        List<DraftTokens> draftTokens = propose(requests, forcedTokens);
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            // An earlier iteration may have preempted this request.
            if (request.isInDecode()) {
                int[] known = forcedTokens.getOrDefault(request, NOTHING);
                DraftTokens own = draftTokens.get(i);
                int ahead = known.length + own.count();
                // Forced and draft tokens are dropped rather than preempting another request.
                boolean fits = ahead > 0 && ensureSlots(request, 1 + ahead);
                preemptUntilFits(request);
                steps.add(
                        new RequestStep(
                                request,
                                fits ? known : NOTHING,
                                fits ? own : DraftTokens.NONE,
                                inFlight.areInline()));
            }
        }
        List<BatchEntry> entries = new ArrayList<>(steps.size());
        for (RequestStep step : steps) {
            if (step.request().isInDecode()) {
                entries.add(entry(step));
            }
        }
        if (entries.size() > 1) {
            // One operator can process several sequences with adjacent state rows.
            entries.sort(Comparator.comparingInt(entry -> entry.request().sequence().stateRow()));
        }
        return entries;
    }

    private List<Request> ready(int most) {
        List<Request> ready = running.inDecode();
        ready.removeIf(request -> request.tokensToCompute() <= 0 || rounds.mustWait(request));
        if (ready.size() > most) {
            ready.sort(Comparator.comparingLong(Request::latestBatch));
            ready.subList(most, ready.size()).clear();
        }
        return ready;
    }

    private List<DraftTokens> propose(List<Request> requests, Map<Request, int[]> forcedTokens) {
        int[] most = new int[requests.size()];
        int[] room = new int[requests.size()];
        for (int i = 0; i < most.length; i++) {
            Request request = requests.get(i);
            most[i] = forcedTokens.containsKey(request) ? 0 : mostDraftTokens(request);
            room[i] = maxDraftTokens(request);
        }
        return draftProposer.propose(requests, most, room, inFlight::change);
    }

    /** Returns the forced tokens of the requests that have any. */
    private Map<Request, int[]> forcedTokens(List<Request> requests) {
        Map<Request, int[]> found = new IdentityHashMap<>();
        for (Request request : requests) {
            int most = Math.min(Math.min(MOST_FORCED, request.tokensLeft() - 1), space(request));
            most = Math.min(most, cache.mostForcedTokens(request.sequence()));
            int wanted = most;
            running.guard(
                    request,
                    () -> {
                        int[] tokens = selector.forcedTokens(request, wanted);
                        if (tokens.length > 0) {
                            draftProposer.endPendingDraft(request);
                            found.put(request, tokens);
                        }
                    });
        }
        return found;
    }

    private BatchEntry entry(RequestStep step) {
        Request request = step.request();
        ScheduledTokens advance =
                new ScheduledTokens(
                        request.sequence(),
                        request.arrival(),
                        step.tokens(),
                        step.outputs(),
                        ChunkKind.ROWS,
                        false,
                        step.draftTokens().count(),
                        step.draftTokens().tree());
        return new BatchEntry(
                request,
                advance,
                (result, row, column) -> {
                    // The request may have been requeued, and run with another sequence.
                    if (request.isRunning() && request.sequence() == advance.sequence()) {
                        running.guard(request, () -> acceptTokens(step, result, row, column));
                    }
                });
    }

    /**
     * Returns the most consecutive draft tokens of a request: those that it may generate after the
     * next token, and for which there is room.
     */
    private int mostDraftTokens(Request request) {
        int behind = Math.min(request.tokensLeft() - 1, maxDraftTokens(request));
        return Math.max(0, Math.min(request.mostDraftTokens(), behind));
    }

    /**
     * Returns the draft tokens for which context and rollback buffers have room, branches included.
     */
    private int maxDraftTokens(Request request) {
        return Math.max(0, Math.min(space(request), cache.mostDraftTokens(request.sequence())));
    }

    /** Returns the number of tokens that the context can hold after the known ones. */
    private int space(Request request) {
        return contextTokens - request.known();
    }

    private boolean ensureSlots(Request request, int tokens) {
        return cache.ensure(request.sequence(), request.sequence().computed() + tokens);
    }

    /** Allocates a slot for one more token; preempts the youngest requests if needed. */
    private void preemptUntilFits(Request request) {
        while (request.isInDecode() && !ensureSlots(request, 1)) {
            if (inFlight.isEmpty()) {
                running.preemptNewest();
            } else {
                // The sequence of a preempted request may be kept only after its batches returned.
                inFlight.awaitAll();
            }
        }
    }

    /** Chooses the next token, and further ones as long as they match the draft tokens. */
    private void acceptTokens(RequestStep step, ShardResult result, int firstRow, int column) {
        Request request = step.request();
        if (step.forcedTokens().length > 0 && !acceptForced(step)) {
            return;
        }
        DraftTokens draftTokens = step.draftTokens();
        int[] path = new int[draftTokens.count() + 1];
        int accepted = 0;
        TokenSelector.SampledToken chosen = choose(step, result, firstRow);
        int next = chosen.end().isEmpty() ? draftTokens.next(0, chosen.token()) : -1;
        while (next > 0) {
            path[++accepted] = next;
            chosen = choose(step, result, firstRow + next);
            next = chosen.end().isEmpty() ? draftTokens.next(next, chosen.token()) : -1;
        }
        if (draftTokens.count() > 0) {
            accept(request, Arrays.copyOf(path, accepted + 1), result, column);
            draftProposer.verified(request, draftTokens, accepted);
        }
        Optional<GenerationEnd.Reason> end = chosen.end();
        if (end.isPresent()) {
            running.finish(request, end.get());
        }
    }

    /** Accepts the forced tokens; returns whether the request continues after them. */
    private boolean acceptForced(RequestStep step) {
        Request request = step.request();
        int[] tokens = step.forcedTokens();
        for (int i = 0; i < tokens.length; i++) {
            Optional<GenerationEnd.Reason> end = selector.chooseForced(request, tokens[i]).end();
            if (end.isPresent()) {
                // The remaining tokens are computed, and not every state can be rolled back: the
                // kept sequence includes them, although they were not reported.
                for (int j = i + 1; j < tokens.length; j++) {
                    request.tokens().add(tokens[j]);
                }
                running.finish(request, end.get());
                return false;
            }
        }
        return true;
    }

    /** Keeps the computed state of the accepted tokens and discards that of the rejected ones. */
    private void accept(Request request, int[] numbers, ShardResult result, int column) {
        AcceptedPath path = AcceptedPath.of(numbers);
        cache.accept(request.sequence(), path);
        if (!path.isStraight() && !result.features().isEmpty()) {
            result.features().forEach(feature -> feature.gather(column, path));
            // The features were recorded as if the first tokens had been accepted. Pending copies
            // of those run before the features of the accepted path replace them.
            prefix.recordFeatures(
                    request.sequence(),
                    request.sequence().computed() - path.length(),
                    result.features(),
                    column,
                    path.length());
        }
    }

    private TokenSelector.SampledToken choose(RequestStep step, ShardResult result, int row) {
        TokenLogits output = selector.output(result, row, step.outputs());
        return selector.choose(step.request(), output);
    }
}
