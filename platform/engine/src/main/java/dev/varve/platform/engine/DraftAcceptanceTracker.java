package dev.varve.platform.engine;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.speculation.AcceptanceRates;
import dev.varve.platform.speculation.TreeGainTracker;

import java.util.Optional;

/**
 * Measures the acceptance of draft tokens in one request. Each draft is compared with the generated
 * tokens, whether or not a step verified it, so that the gain of speculation is known while it is
 * off.
 */
final class DraftAcceptanceTracker {
    private final AcceptanceRates rates;
    private Optional<Pending> pending = Optional.empty();
    private int verifySteps;
    private int drafted;
    private int accepted;

    /** A draft whose acceptance is not known yet, with the position of its first token. */
    private record Pending(Draft draft, int position) {}

    DraftAcceptanceTracker(int depth) {
        rates = new AcceptanceRates(depth);
    }

    AcceptanceRates rates() {
        return rates;
    }

    /** Records a draft after all known tokens. Does nothing while an earlier draft is pending. */
    void propose(Draft draft, int position) {
        if (pending.isEmpty() && draft.tokens().length > 0) {
            pending = Optional.of(new Pending(draft, position));
        }
    }

    /**
     * Compares the pending draft with the generated tokens, once its acceptance is known.
     *
     * @param all acceptance rates of all sequences
     * @param trees gain of drafts with branches
     */
    void record(TokenHistory tokens, AcceptanceRates all, TreeGainTracker trees) {
        if (pending.isPresent() && !follow(tokens).isOpen()) {
            conclude(tokens, all, trees);
        }
    }

    /**
     * Compares the pending draft with the tokens so far; later tokens are not compared.
     *
     * @param all acceptance rates of all sequences
     * @param trees gain of drafts with branches
     */
    void conclude(TokenHistory tokens, AcceptanceRates all, TreeGainTracker trees) {
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
     * Acceptance of a draft.
     *
     * @param right consecutive draft tokens that match, on any branch
     * @param isOpen whether further draft tokens may still match
     */
    private record DraftMatch(int right, boolean isOpen) {}

    private DraftMatch follow(TokenHistory tokens) {
        Draft draft = pending.orElseThrow().draft();
        DraftTokens draftTokens = DraftTokens.of(draft, draft.tokens().length);
        int begin = pending.get().position();
        int known = tokens.size() - begin;
        int right = 0;
        int last = 0;
        int next = 0;
        while (right < known && next >= 0) {
            next = draftTokens.next(last, tokens.get(begin + right));
            if (next > 0) {
                last = next;
                right++;
            }
        }
        return new DraftMatch(right, next >= 0 && draftTokens.continuesAfter(last));
    }

    /** Counts draft tokens that a step verified. */
    void verified(int draftTokens, int right) {
        verifySteps++;
        drafted += draftTokens;
        accepted += right;
    }

    /** Returns the counts of draft tokens so far. */
    GenerationEnd.Speculation counts() {
        return new GenerationEnd.Speculation(drafted, accepted, verifySteps);
    }
}
