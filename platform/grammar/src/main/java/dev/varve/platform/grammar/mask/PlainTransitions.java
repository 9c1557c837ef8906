package dev.varve.platform.grammar.mask;

import dev.varve.platform.grammar.cfg.ParseState;
import dev.varve.platform.grammar.cfg.Recognizer;
import dev.varve.platform.grammar.regex.ByteClasses;
import dev.varve.platform.grammar.regex.PlainCharacters;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Transitions over plain characters that the grammar does not distinguish: most states within
 * strings have such a step, to themselves or to a state that has one too. For one thread at a time.
 */
final class PlainTransitions {
    private static final int ASCII = 128;

    /** Bytes of a step and of its place in a map. */
    private static final int STEP = 64;

    private final Recognizer recognizer;
    private final Map<ParseState, Step> steps = new IdentityHashMap<>();
    private final Map<ParseState, Step> completions = new IdentityHashMap<>();

    private int age;

    /**
     * Transition over plain characters.
     *
     * @param low the characters that lead to the state, in the notation of {@link
     *     SubtreeCharacters}
     * @param high likewise
     * @param uniform whether all plain characters do
     * @param state the state that most of them lead to; dead if nearly none may follow
     */
    record Step(long low, long high, boolean uniform, ParseState state) {
        boolean accepts(long lows, long highs) {
            return (lows & ~low | highs & ~high) == 0 && !state.isDead();
        }
    }

    PlainTransitions(Recognizer recognizer) {
        this.recognizer = recognizer;
    }

    /** Discards cached steps of states that the recognizer discarded. */
    void discardStale() {
        if (age != recognizer.clears()) {
            age = recognizer.clears();
            steps.clear();
            completions.clear();
        }
    }

    boolean knows(ParseState state) {
        return steps.containsKey(state);
    }

    /**
     * Returns whether every text of up to {@code characters} of some plain characters may follow.
     */
    boolean areFree(ParseState state, int characters, long low, long high) {
        ParseState at = state;
        for (int i = 0; i < characters; i++) {
            Step step = step(at);
            if (!step.accepts(low, high)) {
                return false;
            }
            if (step.state == at) {
                return true;
            }
            at = step.state;
        }
        return true;
    }

    /** Returns the step of a state between characters. */
    Step step(ParseState state) {
        discardStale();
        Step known = steps.get(state);
        if (known == null) {
            known = recognizer.isUniformForPlainText(state) ? uniformStep(state) : find(state);
            recognizer.footprint().add(STEP);
            steps.put(state, known);
        }
        return known;
    }

    /**
     * Returns the step of a state within a character, after its first byte: uniform only if all
     * bytes that complete it lead to the same state.
     *
     * @param missing number of bytes that complete it
     */
    Step completion(ParseState state, int missing) {
        discardStale();
        Step known = completions.get(state);
        if (known == null) {
            ParseState common = follow(state, 0x80, 0xbf, missing - 1);
            known = new Step(0, 0, common != null, common == null ? recognizer.dead() : common);
            recognizer.footprint().add(STEP);
            completions.put(state, known);
        }
        return known;
    }

    private Step uniformStep(ParseState state) {
        return new Step(-1L, -1L, true, recognizer.next(state, 'a'));
    }

    private Step find(ParseState state) {
        ParseState[] targets = new ParseState[ASCII];
        for (int value = 0; value < ASCII; value++) {
            targets[value] =
                    PlainCharacters.isPlainAscii(value) ? recognizer.next(state, value) : null;
        }
        ParseState others = others(state);
        ParseState most = mostOften(targets);
        long low = 0;
        long high = 0;
        boolean uniform = others == most;
        for (int value = 0; value < ASCII; value++) {
            if (targets[value] == null || targets[value] == most) {
                low |= SubtreeCharacters.lowBit((byte) value);
                high |= SubtreeCharacters.highBit((byte) value);
            } else {
                uniform = false;
            }
        }
        // All characters that are not ASCII share the bit of U+007F.
        high =
                others == most && targets[ASCII - 1] == most
                        ? high
                        : high & ~SubtreeCharacters.OTHERS;
        return new Step(low, high, uniform, most);
    }

    private static ParseState mostOften(ParseState[] targets) {
        Map<ParseState, Integer> counts = new IdentityHashMap<>();
        ParseState most = null;
        int best = 0;
        for (ParseState target : targets) {
            if (target != null) {
                int count = counts.merge(target, 1, Integer::sum);
                if (count > best) {
                    best = count;
                    most = target;
                }
            }
        }
        return most;
    }

    /**
     * Returns the state after any character that is not ASCII; null if it depends on the character.
     */
    private ParseState others(ParseState state) {
        ParseState common = null;
        for (int lead = 0xc2; lead <= 0xf4; lead++) {
            if (lead > 0xc2 && isLike(lead, lead - 1)) {
                continue;
            }
            ParseState next = recognizer.next(state, lead);
            ParseState target =
                    next.isDead()
                            ? next
                            : follow(
                                    next,
                                    PlainCharacters.least(lead),
                                    PlainCharacters.most(lead),
                                    PlainCharacters.missing(lead) - 1);
            if (target == null || common != null && common != target) {
                return null;
            }
            common = target;
        }
        return common;
    }

    /**
     * Returns whether two first bytes are equivalent in the grammar and permit the same following
     * bytes.
     */
    private boolean isLike(int lead, int other) {
        ByteClasses classes = recognizer.classes();
        return classes.of(lead) == classes.of(other)
                && PlainCharacters.least(lead) == PlainCharacters.least(other)
                && PlainCharacters.most(lead) == PlainCharacters.most(other)
                && PlainCharacters.missing(lead) == PlainCharacters.missing(other);
    }

    private ParseState follow(ParseState state, int least, int most, int further) {
        ParseState common = null;
        int before = -1;
        for (int value = least; value <= most; value++) {
            int byteClass = recognizer.classes().of(value);
            if (byteClass == before) {
                continue;
            }
            before = byteClass;
            ParseState next = recognizer.next(state, value);
            ParseState target =
                    further == 0 || next.isDead() ? next : follow(next, 0x80, 0xbf, further - 1);
            if (target == null || common != null && common != target) {
                return null;
            }
            common = target;
        }
        return common;
    }
}
