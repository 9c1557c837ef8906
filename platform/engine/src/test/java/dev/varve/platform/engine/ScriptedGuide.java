package dev.varve.platform.engine;

import dev.varve.platform.sampling.TokenMask;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Allows even tokens only, and forces runs of tokens at random positions. Checks its caller: a
 * token that it forbids, or other than the forced one, must never be accepted.
 */
public final class ScriptedGuide implements TokenConstraint {
    private static final int FREE = -1;

    /** Longest forced run. */
    private static final int LONGEST = 40;

    /** Forced token by position; {@value #FREE} where any allowed token may come. */
    private final int[] forced;

    private final int vocabulary;
    private final boolean foretells;
    private int position;

    private ScriptedGuide(int[] forced, int vocabulary, boolean foretells) {
        this.forced = forced;
        this.vocabulary = vocabulary;
        this.foretells = foretells;
    }

    /**
     * Returns a constraint that forces some runs.
     *
     * @param count tokens of the response
     */
    public static ScriptedGuide of(long seed, int count, int vocabulary) {
        Random random = new Random(seed);
        int[] forced = new int[count];
        Arrays.fill(forced, FREE);
        for (int at = random.nextInt(6); at < count; at += 1 + random.nextInt(12)) {
            int length = 1 + random.nextInt(random.nextBoolean() ? LONGEST : 3);
            for (int end = Math.min(count, at + length); at < end; at++) {
                // Odd tokens too: a forced token need not be allowed otherwise.
                forced[at] = random.nextInt(vocabulary);
            }
        }
        return new ScriptedGuide(forced, vocabulary, true);
    }

    /** Returns the same constraint at its start, which forces tokens without announcing them. */
    public ScriptedGuide silent() {
        return new ScriptedGuide(forced, vocabulary, false);
    }

    /** Returns a constraint that forces no token. */
    static ScriptedGuide free(int count, int vocabulary) {
        int[] forced = new int[count];
        Arrays.fill(forced, FREE);
        return new ScriptedGuide(forced, vocabulary, true);
    }

    /** Returns a constraint that forces all tokens. */
    static ScriptedGuide forcing(int[] tokens, int vocabulary) {
        return new ScriptedGuide(tokens.clone(), vocabulary, true);
    }

    /** Returns the number of forced tokens. */
    int forcedTokens() {
        return (int) IntStream.of(forced).filter(token -> token != FREE).count();
    }

    /** Returns whether a response follows this constraint. */
    public boolean accepts(int[] answer) {
        ScriptedGuide fresh = silent();
        return fresh.allowed(answer) == answer.length;
    }

    @Override
    public boolean constrains() {
        return true;
    }

    @Override
    public OptionalInt forced() {
        return forced[position] == FREE ? OptionalInt.empty() : OptionalInt.of(forced[position]);
    }

    @Override
    public boolean allows(int token) {
        return passes(position, token);
    }

    private boolean passes(int at, int token) {
        return forced[at] == FREE ? token % 2 == 0 : token == forced[at];
    }

    @Override
    public TokenMask mask() {
        return TokenMask.ofTokens(
                IntStream.range(0, vocabulary).filter(token -> token % 2 == 0).toArray());
    }

    @Override
    public int[] forcedTokens(int most) {
        int end = position;
        while (foretells && end < forced.length && end - position < most && forced[end] != FREE) {
            end++;
        }
        return Arrays.copyOfRange(forced, position, end);
    }

    @Override
    public int allowed(int[] draftTokens) {
        int count = 0;
        while (count < draftTokens.length
                && position + count < forced.length
                && passes(position + count, draftTokens[count])) {
            count++;
        }
        return count;
    }

    @Override
    public void accept(int token) {
        if (!allows(token)) {
            throw new IllegalStateException("token " + token + " came at " + position);
        }
        position++;
    }
}
