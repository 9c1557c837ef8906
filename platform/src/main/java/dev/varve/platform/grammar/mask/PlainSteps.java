package dev.varve.platform.grammar.mask;

import dev.varve.platform.grammar.cfg.ParseState;
import dev.varve.platform.grammar.cfg.Recognizer;
import dev.varve.platform.grammar.regex.ByteClasses;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Where plain characters lead when it makes no difference which one comes: a step that most states
 * within strings have. For one thread at a time.
 */
final class PlainSteps {
    /** No plain character may follow. */
    static final int NONE = 0;

    private final Recognizer recognizer;
    private final int[] ascii;
    private final Map<ParseState, Step> steps = new IdentityHashMap<>();

    /**
     * Behind any plain character.
     *
     * @param uniform whether all of them lead to the same state
     * @param state that state; dead if none may follow
     */
    record Step(boolean uniform, ParseState state) {}

    PlainSteps(Recognizer recognizer) {
        this.recognizer = recognizer;
        ByteClasses classes = recognizer.classes();
        boolean[] seen = new boolean[classes.count()];
        int[] values = new int[128];
        int count = 0;
        for (int value = 0; value < 128; value++) {
            if (PlainText.isPlainAscii(value) && !seen[classes.of(value)]) {
                seen[classes.of(value)] = true;
                values[count++] = value;
            }
        }
        ascii = Arrays.copyOf(values, count);
    }

    void forget() {
        steps.clear();
    }

    /**
     * How many plain characters may follow whatever they are, up to a number.
     *
     * @return the number, or less; 0 also where it depends on the character
     */
    int depth(ParseState state, int most) {
        ParseState at = state;
        for (int depth = 0; depth < most; depth++) {
            Step step = step(at);
            if (!step.uniform || step.state.isDead()) {
                return depth;
            }
            if (step.state == at) {
                return most;
            }
            at = step.state;
        }
        return most;
    }

    Step step(ParseState state) {
        Step known = steps.get(state);
        if (known == null) {
            known = new Finder(state).find();
            steps.put(state, known);
        }
        return known;
    }

    /** Compares the states behind all plain characters. */
    private final class Finder {
        private final ParseState from;
        private ParseState common;
        private boolean uniform = true;

        private Finder(ParseState from) {
            this.from = from;
        }

        private Step find() {
            for (int i = 0; i < ascii.length && uniform; i++) {
                meet(recognizer.next(from, ascii[i]));
            }
            for (int lead = 0xc2; lead <= 0xf4 && uniform; lead++) {
                boolean known = lead > 0xc2 && isLike(lead, lead - 1);
                if (!known) {
                    follow(
                            recognizer.next(from, lead),
                            PlainText.least(lead),
                            PlainText.most(lead),
                            lead >= 0xf0 ? 2 : lead >= 0xe0 ? 1 : 0);
                }
            }
            return new Step(uniform, common);
        }

        /** Whether two first bytes differ neither in the grammar nor in what may follow them. */
        private boolean isLike(int lead, int other) {
            ByteClasses classes = recognizer.classes();
            return classes.of(lead) == classes.of(other)
                    && PlainText.least(lead) == PlainText.least(other)
                    && PlainText.most(lead) == PlainText.most(other)
                    && lead != 0xe0
                    && lead != 0xf0;
        }

        private void follow(ParseState state, int least, int most, int further) {
            int before = -1;
            for (int value = least; value <= most && uniform; value++) {
                int byteClass = recognizer.classes().of(value);
                if (byteClass == before) {
                    continue;
                }
                before = byteClass;
                ParseState next = recognizer.next(state, value);
                if (further == 0 || next.isDead()) {
                    meet(next);
                } else {
                    follow(next, 0x80, 0xbf, further - 1);
                }
            }
        }

        private void meet(ParseState state) {
            uniform &= common == null || common == state;
            common = state;
        }
    }
}
