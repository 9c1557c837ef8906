package dev.varve.platform.engine;

import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.sequence.ChunkKind;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.ScheduledTokens;
import dev.varve.platform.sequence.TokenLogits;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.TokenPath;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The next token of every sequence in decode, for one forward: the last token of each goes in, with
 * what is guessed to follow it, and as many come out as were guessed right, and one more. Where it
 * is certain what follows, that goes in with it instead: all of it counts, and nothing of it has to
 * be taken back. Runs per token: plain loops.
 */
final class DecodeStep {
    /** With the known token a whole group of columns. */
    static final int MOST_CERTAIN = 15;

    private static final int[] NOTHING = {};

    private final RunningRequests running;
    private final KvCacheManager cache;
    private final InFlightBatches flights;
    private final TokenChoice choice;
    private final PrefixCache prefix;
    private final SpeculativeDecoding drafting;
    private final PendingPageScores rounds;
    private final int contextTokens;

    /**
     * What a request computes in a step.
     *
     * @param certain tokens that will follow its last one; then none is guessed
     * @param guesses tokens that may follow its last one
     */
    private record RequestStep(Request request, int[] certain, DraftTokens guesses) {
        /** With guesses every row is wanted, to compare it with the guess. */
        OutputRows outputs() {
            if (guesses.count() == 0) {
                return request.wanted();
            }
            return request.wanted().isBest() ? OutputRows.BEST_EACH : OutputRows.ALL;
        }

        /** Tokens that go in: the last one that is known, and what follows. */
        int[] tokens() {
            int[] known = request.tokensUpTo(request.known());
            int[] ahead = certain.length > 0 ? certain : guesses.tokens();
            if (ahead.length == 0) {
                return known;
            }
            int[] all = Arrays.copyOf(known, known.length + ahead.length);
            System.arraycopy(ahead, 0, all, known.length, ahead.length);
            return all;
        }
    }

    /**
     * @param contextTokens most tokens of a sequence
     */
    DecodeStep(EngineContext state, int contextTokens) {
        running = state.running();
        cache = state.cache();
        flights = state.flights();
        choice = state.choice();
        prefix = state.prefix();
        drafting = state.drafting();
        rounds = state.pages();
        this.contextTokens = contextTokens;
    }

    /** What all requests in decode compute next; some may have lost their place for that. */
    List<BatchEntry> works() {
        flights.settleOutputs();
        List<RequestStep> steps = new ArrayList<>(running.size());
        List<Request> requests = new ArrayList<>(running.inDecode());
        requests.removeIf(rounds::holds);
        Map<Request, int[]> certain = certain(requests);
        requests.removeIf(request -> !request.isInDecode());
        List<DraftTokens> guesses =
                drafting.propose(
                        requests,
                        requests.stream()
                                .mapToInt(each -> certain.containsKey(each) ? 0 : mostGuesses(each))
                                .toArray(),
                        requests.stream().mapToInt(this::room).toArray(),
                        flights::change);
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            // Others may have made room for this one, or this one for them.
            if (request.isInDecode()) {
                int[] known = certain.getOrDefault(request, NOTHING);
                DraftTokens own = guesses.get(i);
                int ahead = known.length + own.count();
                // What comes early is not worth the place of another request.
                boolean fits = ahead > 0 && hasRoom(request, 1 + ahead);
                makeRoom(request);
                steps.add(
                        fits
                                ? new RequestStep(request, known, own)
                                : new RequestStep(request, NOTHING, DraftTokens.NONE));
            }
        }
        List<BatchEntry> works = new ArrayList<>(steps.size());
        for (RequestStep step : steps) {
            if (step.request().isInDecode()) {
                works.add(work(step));
            }
        }
        // Neighbouring state rows let one operator take several sequences.
        works.sort(Comparator.comparingInt(work -> work.request().sequence().stateRow()));
        return works;
    }

    /** Of those requests of which it is certain what comes next. */
    private Map<Request, int[]> certain(List<Request> requests) {
        Map<Request, int[]> found = new IdentityHashMap<>();
        for (Request request : requests) {
            int most = Math.min(Math.min(MOST_CERTAIN, request.tokensLeft() - 1), space(request));
            most = Math.min(most, cache.mostCertain(request.sequence()));
            int wanted = most;
            running.guard(
                    request,
                    () -> {
                        int[] tokens = choice.certain(request, wanted);
                        if (tokens.length > 0) {
                            drafting.passOver(request);
                            found.put(request, tokens);
                        }
                    });
        }
        return found;
    }

    private BatchEntry work(RequestStep step) {
        Request request = step.request();
        ScheduledTokens advance =
                new ScheduledTokens(
                        request.sequence(),
                        request.arrival(),
                        step.tokens(),
                        step.outputs(),
                        ChunkKind.ROWS,
                        false,
                        step.guesses().count(),
                        step.guesses().tree());
        return new BatchEntry(
                request,
                advance,
                (result, row, column) -> {
                    if (request.isRunning()) {
                        running.guard(request, () -> take(step, result, row, column));
                    }
                });
    }

    /**
     * The last token that it may have needs no guess, and one that cannot be taken back is none.
     */
    private int mostGuesses(Request request) {
        int behind = Math.min(request.tokensLeft() - 1, room(request));
        return Math.max(0, Math.min(request.mayDraft(), behind));
    }

    /** Guesses of a request that have a place, whichever of them may follow one another. */
    private int room(Request request) {
        return Math.max(0, Math.min(space(request), cache.mostGuesses(request.sequence())));
    }

    /** Tokens behind the known ones that its context has room for. */
    private int space(Request request) {
        return contextTokens - request.known();
    }

    private boolean hasRoom(Request request, int tokens) {
        return cache.ensure(request.sequence(), request.sequence().computed() + tokens);
    }

    /** Finds room for one more token, at the price of the youngest requests if need be. */
    private void makeRoom(Request request) {
        while (request.isInDecode() && !hasRoom(request, 1)) {
            if (flights.isEmpty()) {
                running.preemptYoungest();
            } else {
                // What is kept of it must have been computed.
                flights.settleAll();
            }
        }
    }

    /** Chooses the next token, and others as long as they are those that were guessed. */
    private void take(RequestStep step, ShardResult result, int firstRow, int column) {
        Request request = step.request();
        if (step.certain().length > 0 && !takeCertain(step)) {
            return;
        }
        DraftTokens guesses = step.guesses();
        List<Integer> path = new ArrayList<>(List.of(0));
        TokenChoice.Chosen chosen = choose(step, result, firstRow);
        int next = chosen.end().isEmpty() ? guesses.next(0, chosen.token()) : -1;
        while (next > 0) {
            path.add(next);
            chosen = choose(step, result, firstRow + next);
            next = chosen.end().isEmpty() ? guesses.next(next, chosen.token()) : -1;
        }
        if (guesses.count() > 0) {
            accept(request, path.stream().mapToInt(Integer::intValue).toArray(), result, column);
            drafting.verified(request, guesses, path.size() - 1);
        }
        Optional<GenerationEnd.Reason> end = chosen.end();
        if (end.isPresent()) {
            running.finish(request, end.get());
        }
    }

    /** Takes the tokens that were certain to come; says whether the request goes on behind them. */
    private boolean takeCertain(RequestStep step) {
        Request request = step.request();
        int[] tokens = step.certain();
        for (int i = 0; i < tokens.length; i++) {
            Optional<GenerationEnd.Reason> end = choice.chooseCertain(request, tokens[i]).end();
            if (end.isPresent()) {
                // The others are computed, and not every state can be taken back: what is kept of
                // the sequence has them, though nobody heard of them.
                for (int j = i + 1; j < tokens.length; j++) {
                    request.tokens().add(tokens[j]);
                }
                running.finish(request, end.get());
                return false;
            }
        }
        return true;
    }

    /** What was computed of the tokens on a path is the request's; of the others it is not. */
    private void accept(Request request, int[] numbers, ShardResult result, int column) {
        TokenPath path = TokenPath.of(numbers);
        cache.accept(request.sequence(), path);
        if (!path.isStraight() && !result.features().isEmpty()) {
            result.features().forEach(feature -> feature.gather(column, path));
            // They were taken as if the first tokens were the right ones; whoever still copies
            // them does so before these, which stand in their place.
            prefix.saw(
                    request.sequence(),
                    request.sequence().computed() - path.length(),
                    result.features(),
                    column,
                    path.length());
        }
    }

    private TokenChoice.Chosen choose(RequestStep step, ShardResult result, int row) {
        TokenLogits output = choice.output(result, row, step.outputs());
        return choice.choose(step.request(), output);
    }
}
