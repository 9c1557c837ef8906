package dev.varve.platform.engine;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.speculation.AcceptanceRates;

import java.util.Optional;

/**
 * How guesses fare in one request. Each draft is compared with the tokens that came in the end,
 * whether a step checked it or not: so it is known what guessing would be worth where it is off.
 */
final class SequenceDrafts {
    private final AcceptanceRates rates;
    private Optional<Pending> pending = Optional.empty();
    private int verifySteps;
    private int drafted;
    private int accepted;

    /** A draft of which it is not known yet how far it is right; it begins at a position. */
    private record Pending(Draft draft, int position) {}

    SequenceDrafts(int depth) {
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

    /** Compares what was guessed with what came. */
    void settle(TokenHistory tokens, AcceptanceRates all) {
        if (pending.isEmpty()) {
            return;
        }
        Draft draft = pending.get().draft();
        int begin = pending.get().position();
        int length = draft.tokens().length;
        int known = Math.min(length, tokens.size() - begin);
        int right = 0;
        while (right < known && tokens.get(begin + right) == draft.tokens()[right]) {
            right++;
        }
        if (right < known || known == length) {
            rates.record(draft.grade(), known, right);
            all.record(draft.grade(), known, right);
            pending = Optional.empty();
        }
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
