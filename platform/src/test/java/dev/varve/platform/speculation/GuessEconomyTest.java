package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;

class GuessEconomyTest {
    private static final int DEPTH = 7;
    private static final double CHANCE = 0.9;

    private final Random random = new Random(3);
    private final GuessEconomy economy = new GuessEconomy(DEPTH, OptionalInt.empty(), true);

    /** Nanoseconds of a step, and what each token in it takes beyond that. */
    private double step = 1_000_000;

    private double token = 100_000;
    private double guessing = 100_000;
    private double takingIn = 30_000;

    /** How many steps hidden states were seen of without a gap. */
    private int seen;

    private int followed;
    private int checked;
    private double time;
    private double tokens;

    private void run(int steps, int sequences) {
        followed = 0;
        checked = 0;
        time = 0;
        tokens = 0;
        for (int i = 0; i < steps; i++) {
            step(sequences);
        }
    }

    private void step(int sequences) {
        int[] counts = new int[sequences];
        if (economy.asks(sequences, sequences)) {
            boolean ready = seen >= 16;
            Draft draft = ready ? Draft.of(new int[DEPTH]) : Draft.NONE;
            GuessEconomy.Offer offer = new GuessEconomy.Offer(draft, new AcceptanceRates(DEPTH));
            economy.guessingTook(ready ? sequences : 0, false, (long) guessing);
            time += ready ? guessing : 0;
            counts = economy.choose(Collections.nCopies(sequences, offer), sequences);
        }
        int guesses = Arrays.stream(counts).sum();
        checked += guesses > 0 ? 1 : 0;
        double nanos = step + token * (sequences + guesses);
        economy.stepTook(sequences + guesses, (long) nanos);
        time += nanos;
        tokens += sequences;
        for (int count : counts) {
            int right = 0;
            while (right < count && random.nextDouble() < CHANCE) {
                right++;
            }
            if (count > 0) {
                economy.rates().record(0, count, right);
            }
            tokens += right;
        }
        if (economy.follows(sequences)) {
            seen++;
            followed++;
            economy.takingInTook(sequences, (long) (takingIn * sequences));
            time += takingIn * sequences;
        } else {
            seen = 0;
        }
    }

    private double speedUp(int sequences) {
        return tokens / time / (sequences / (step + token * sequences));
    }

    @Test
    void whereGuessesPayAllStatesAreTakenInAndAllStepsGuessed() {
        run(100, 1);
        run(1000, 1);

        assertEquals(1000, followed);
        assertTrue(checked > 990, () -> checked + " steps with guesses");
        assertTrue(speedUp(1) > 2, () -> speedUp(1) + " times as fast");
    }

    @Test
    void whereTheyDoNotNothingIsLost() {
        token = 900_000;
        run(100, 4);
        run(10_000, 4);

        assertTrue(followed < 4000, () -> followed + " steps were looked at");
        assertTrue(checked > 0, "never tried again");
        assertTrue(speedUp(4) > 0.985, () -> speedUp(4) + " times as fast");
    }

    @Test
    void whatDoesNotPayForManyMayPayForOne() {
        run(200, 1);
        token = 0;
        run(200, 1);
        // Four compute as if each were alone, and so does each guess.
        step = 0;
        token = 1_000_000;
        run(2000, 4);
        assertFalse(economy.follows(4));

        assertTrue(economy.follows(1), "one sequence was never found to lose");
    }

    @Test
    void whatBecomesWorthwhileIsFound() {
        token = 900_000;
        run(2000, 1);
        token = 10_000;
        run(4000, 1);
        run(1000, 1);

        assertTrue(checked > 900, () -> checked + " steps with guesses");
    }

    @Test
    void aGivenWidthIsChecked() {
        GuessEconomy fixed = new GuessEconomy(DEPTH, OptionalInt.of(3), true);
        GuessEconomy.Offer offer =
                new GuessEconomy.Offer(Draft.of(1, 2, 3, 4, 5), new AcceptanceRates(DEPTH));
        GuessEconomy.Offer less = new GuessEconomy.Offer(Draft.of(1), new AcceptanceRates(DEPTH));

        assertTrue(fixed.asks(2, 2));
        assertTrue(fixed.follows(2));
        assertArrayEquals(new int[] {3, 1}, fixed.choose(List.of(offer, less), 2));
    }

    @Test
    void whoNeedsNoHiddenStatesGetsNone() {
        GuessEconomy ngram = new GuessEconomy(DEPTH, OptionalInt.empty(), false);

        assertFalse(ngram.follows(1));
        ngram.stepTook(1, 1_000_000);
        ngram.stepTook(1, 1_000_000);
        assertTrue(ngram.asks(1, 1));
    }
}
