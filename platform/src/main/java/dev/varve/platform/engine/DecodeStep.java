package dev.varve.platform.engine;

import dev.varve.platform.sequence.Advance;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.sequence.Stretch;
import dev.varve.platform.sequence.TokenOutput;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardResult;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The next token of every sequence in decode, for one forward: the last token of each goes in, with
 * what is guessed to follow it, and as many come out as were guessed right, and one more. Runs per
 * token: plain loops.
 */
final class DecodeStep {
    private final RunningRequests running;
    private final SequenceCache cache;
    private final Flights flights;
    private final TokenChoice choice;
    private final Drafting drafting;
    private final int contextTokens;

    /**
     * What a request computes in a step.
     *
     * @param proposed tokens that are guessed to follow its last one
     */
    private record RequestStep(Request request, int[] proposed) {
        /** With guesses every row is wanted, to compare it with the guess. */
        OutputRows outputs() {
            if (proposed.length == 0) {
                return request.wanted();
            }
            return request.wanted().isBest() ? OutputRows.BEST_EACH : OutputRows.ALL;
        }

        /** Tokens that go in: the last one that is known, and the guesses. */
        int[] tokens() {
            int[] known = request.tokensUpTo(request.known());
            if (proposed.length == 0) {
                return known;
            }
            int[] all = Arrays.copyOf(known, known.length + proposed.length);
            System.arraycopy(proposed, 0, all, known.length, proposed.length);
            return all;
        }
    }

    /**
     * @param contextTokens most tokens of a sequence
     */
    DecodeStep(EngineState state, int contextTokens) {
        running = state.running();
        cache = state.cache();
        flights = state.flights();
        choice = state.choice();
        drafting = state.drafting();
        this.contextTokens = contextTokens;
    }

    /** What all requests in decode compute next; some may have lost their place for that. */
    List<Work> works() {
        flights.settleOutputs();
        List<RequestStep> steps = new ArrayList<>(running.size());
        List<Request> requests = running.inDecode();
        List<int[]> drafts =
                drafting.propose(
                        requests,
                        requests.stream().mapToInt(this::mostGuesses).toArray(),
                        flights::change);
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            // Others may have made room for this one, or this one for them.
            if (request.isInDecode()) {
                int[] draft = drafts.get(i);
                // A guess is not worth the place of another request.
                boolean fits = draft.length > 0 && hasRoom(request, 1 + draft.length);
                makeRoom(request);
                steps.add(new RequestStep(request, fits ? draft : new int[0]));
            }
        }
        List<Work> works = new ArrayList<>(steps.size());
        for (RequestStep step : steps) {
            if (step.request().isInDecode()) {
                works.add(work(step));
            }
        }
        // Neighbouring state rows let one operator take several sequences.
        works.sort(Comparator.comparingInt(work -> work.request().sequence().stateRow()));
        return works;
    }

    private Work work(RequestStep step) {
        Request request = step.request();
        Advance advance =
                new Advance(
                        request.sequence(),
                        request.arrival(),
                        step.tokens(),
                        step.outputs(),
                        Stretch.ROWS,
                        false,
                        step.proposed().length);
        return new Work(
                request,
                advance,
                (result, row) -> {
                    if (request.isRunning()) {
                        running.guard(request, () -> take(step, result, row));
                    }
                });
    }

    /**
     * The last token that it may have needs no guess, and one that cannot be taken back is none.
     */
    private int mostGuesses(Request request) {
        int behind = Math.min(request.tokensLeft() - 1, contextTokens - request.known());
        return Math.max(0, Math.min(Math.min(request.mayDraft(), behind), cache.mostGuesses()));
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

    /** Chooses tokens as long as they are those that were guessed. */
    private void take(RequestStep step, ShardResult result, int firstRow) {
        Request request = step.request();
        int[] proposed = step.proposed();
        int before = request.sequence().computed() - proposed.length;
        int accepted = 0;
        TokenChoice.Chosen chosen = choose(step, result, firstRow);
        while (accepted < proposed.length
                && chosen.end().isEmpty()
                && chosen.token() == proposed[accepted]) {
            accepted++;
            chosen = choose(step, result, firstRow + accepted);
        }
        cache.accept(request.sequence(), before + accepted);
        if (proposed.length > 0) {
            drafting.verified(request, proposed.length, accepted);
        }
        Optional<GenerationEnd.Reason> end = chosen.end();
        if (end.isPresent()) {
            running.finish(request, end.get());
        }
    }

    private TokenChoice.Chosen choose(RequestStep step, ShardResult result, int row) {
        TokenOutput output = choice.output(result, row, step.outputs());
        return choice.choose(step.request(), output);
    }
}
