package dev.varve.platform.engine;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.speculation.AcceptanceRates;
import dev.varve.platform.speculation.TreeGain;

import java.util.Optional;

/**
 * How guesses fare in one request. Each draft is compared with the tokens that came in the end,
 * whether a step checked it or not: so it is known what guessing would be worth where it is off.
 */
final class DraftAcceptanceTracker {
    private final AcceptanceRates rates;
    private Optional<Pending> pending = Optional.empty();
    private int verifySteps;
    private int drafted;
    private int accepted;

    /** A draft of which it is not known yet how far it is right; it begins at a position. */
    private record Pending(Draft draft, int position) {}

    DraftAcceptanceTracker(int depth) {
        rates = new AcceptanceRates(depth);
    }

    AcceptanceRates rates() {
        return rates;
    }

    /** A draft behind all tokens that are known; an earlier one is settled first. */
    void propose(Draft draft, int position) {
        if (pending.isEmpty() && draft.tokens().length > 0) {
            pending = Optional.of(new Pending(draft, position));
        }
    }

    /**
     * Compares what was guessed with what came, once it is known how far that is right.
     *
     * @param all how guesses of all sequences fared
     * @param trees likewise, of those that branch
     */
    void settle(TokenHistory tokens, AcceptanceRates all, TreeGain trees) {
        if (pending.isPresent() && !follow(tokens).isOpen()) {
            conclude(tokens, all, trees);
        }
    }

    /**
     * Compares what was guessed with what came so far: of what comes next nothing is to be learned.
     *
     * @param all how guesses of all sequences fared
     * @param trees likewise, of those that branch
     */
    void conclude(TokenHistory tokens, AcceptanceRates all, TreeGain trees) {
        if (pending.isEmpty()) {
            return;
        }
        Draft draft = pending.get().draft();
        int begin = pending.get().position();
        int known = Math.min(draft.spine(), tokens.size() - begin);
        int straight = 0;
        while (straight < known && tokens.get(begin + straight) == draft.tokens()[straight]) {
            straight++;
        }
        rates.record(draft.grade(), known, straight);
        all.record(draft.grade(), known, straight);
        if (draft.branches()) {
            trees.compared(draft.grade(), follow(tokens).right() - straight);
        }
        pending = Optional.empty();
    }

    /**
     * How far a draft is right.
     *
     * @param right guesses one after the other, whichever of them
     * @param isOpen whether others of it may still turn out right
     */
    private record Followed(int right, boolean isOpen) {}

    private Followed follow(TokenHistory tokens) {
        Draft draft = pending.orElseThrow().draft();
        DraftTokens guesses = DraftTokens.of(draft, draft.tokens().length);
        int begin = pending.get().position();
        int known = tokens.size() - begin;
        int right = 0;
        int last = 0;
        int next = 0;
        while (right < known && next >= 0) {
            next = guesses.next(last, tokens.get(begin + right));
            if (next > 0) {
                last = next;
                right++;
            }
        }
        return new Followed(right, next >= 0 && guesses.goesOnBehind(last));
    }

    /** Takes note of guesses that a step checked. */
    void verified(int guesses, int right) {
        verifySteps++;
        drafted += guesses;
        accepted += right;
    }

    /** What became of the guesses so far. */
    GenerationEnd.Speculation figures() {
        return new GenerationEnd.Speculation(drafted, accepted, verifySteps);
    }
}
