package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.speculation.Draft;
import dev.varve.platform.sequence.TokenList;
import dev.varve.platform.speculation.AcceptanceRates;
import dev.varve.platform.speculation.SpeculationController;
import dev.varve.platform.speculation.TreeGainTracker;

import org.junit.jupiter.api.Test;

import java.util.OptionalInt;

class DraftAcceptanceTrackerTest {
    private static final int DEPTH = 6;

    private final DraftAcceptanceTracker drafts = new DraftAcceptanceTracker(DEPTH);
    private final SpeculationController controller =
            new SpeculationController(DEPTH, OptionalInt.empty(), false);
    private final AcceptanceRates all = controller.rates();
    private final TreeGainTracker trees = controller.trees();

    /** Draft tokens after forced tokens count neither as accepted nor as rejected. */
    @Test
    void certainTokensAreNotMeasured() {
        TokenList tokens = new TokenList(new int[] {1, 2});
        drafts.propose(Draft.of(3, 4, 5, 6), tokens.size());
        tokens.add(3);
        tokens.add(4);

        drafts.conclude(tokens, all, trees);
        tokens.add(5);
        tokens.add(9);
        drafts.record(tokens, all, trees);

        double untried = 0.5;
        assertEquals((1 + 3 * untried) / 4, drafts.rates().rate(0, 0, untried), 1e-9);
        assertEquals((1 + 3 * untried) / 4, all.rate(0, 1, untried), 1e-9);
        assertEquals(untried, all.rate(0, 2, untried), "its token was certain");
    }

    @Test
    void draftIsSettledOnceItsAcceptanceIsKnown() {
        TokenList tokens = new TokenList(new int[] {1, 2});
        drafts.propose(Draft.of(3, 4, 5), tokens.size());
        tokens.add(3);

        drafts.record(tokens, all, trees);
        double open = all.rate(0, 0, 0.5);
        tokens.add(7);
        drafts.record(tokens, all, trees);

        assertEquals(0.5, open, "it may be right yet");
        assertEquals((1 + 3 * 0.5) / 4, all.rate(0, 0, 0.5), 1e-9);
        assertEquals(3 * 0.5 / 4, all.rate(0, 1, 0.5), 1e-9);
        assertEquals(0.5, all.rate(0, 2, 0.5));
    }
}
