package dev.varve.platform.grammar.mask;

import dev.varve.platform.grammar.cfg.ParseState;
import dev.varve.platform.grammar.cfg.Recognizer;
import dev.varve.platform.grammar.regex.ByteClasses;
import dev.varve.platform.grammar.regex.PlainCharacters;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Where plain characters lead that make no difference to the grammar: most states within strings
 * have such a step, into themselves or into one that has it too. For one thread at a time.
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
     * Behind plain characters.
     *
     * @param low the characters that lead to the state, as {@link SubtreeCharacters} has them
     * @param high likewise
     * @param uniform whether all plain characters do
     * @param state the state that most of them lead to; dead if nearly none may follow
     */
    record Step(long low, long high, boolean uniform, ParseState state) {
        boolean takes(long lows, long highs) {
            return (lows & ~low | highs & ~high) == 0 && !state.isDead();
        }
    }

    PlainTransitions(Recognizer recognizer) {
        this.recognizer = recognizer;
    }

    /** Forgets what it keeps of states that the recognizer forgot. */
    void forgetOld() {
        if (age != recognizer.timesForgotten()) {
            age = recognizer.timesForgotten();
            steps.clear();
            completions.clear();
        }
    }

    boolean knows(ParseState state) {
        return steps.containsKey(state);
    }

    /** Whether every text of up to so many of some plain characters may follow. */
    boolean areFree(ParseState state, int characters, long low, long high) {
        ParseState at = state;
        for (int i = 0; i < characters; i++) {
            Step step = step(at);
            if (!step.takes(low, high)) {
                return false;
            }
            if (step.state == at) {
                return true;
            }
            at = step.state;
        }
        return true;
    }

    /** The step of a state between characters. */
    Step step(ParseState state) {
        forgetOld();
        Step known = steps.get(state);
        if (known == null) {
            known = recognizer.takesPlainTextAlike(state) ? alike(state) : find(state);
            recognizer.footprint().add(STEP);
            steps.put(state, known);
        }
        return known;
    }

    /**
     * The step of a state within a character, behind its first byte: uniform only if all bytes that
     * complete it lead to the same state.
     *
     * @param missing number of bytes that complete it
     */
    Step completion(ParseState state, int missing) {
        forgetOld();
        Step known = completions.get(state);
        if (known == null) {
            ParseState common = follow(state, 0x80, 0xbf, missing - 1);
            known = new Step(0, 0, common != null, common == null ? recognizer.dead() : common);
            recognizer.footprint().add(STEP);
            completions.put(state, known);
        }
        return known;
    }

    private Step alike(ParseState state) {
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
        // The bit of U+007F is shared with all that is not ASCII.
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

    /** Where all characters lead that are not ASCII; null if that depends on the character. */
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

    /** Whether two first bytes differ neither in the grammar nor in what may follow them. */
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
