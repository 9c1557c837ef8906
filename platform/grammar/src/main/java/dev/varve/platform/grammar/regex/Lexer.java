package dev.varve.platform.grammar.regex;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads several terminals at once: a deterministic automaton whose states are made when they are
 * reached and kept until {@link #forget}. For one thread at a time.
 */
public final class Lexer {
    private static final int STATE = 64;

    private final RegexStore store;
    private final Regex[] terminals;
    private final ByteClasses classes;
    private final EmptinessCheck lives;
    private final PlainTransitionCheck form;
    private final Map<Key, LexState> states = new HashMap<>();
    private final LexState dead;
    private int ids;

    private record Key(int[] terminals, Regex[] rests) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key
                    && Arrays.equals(terminals, key.terminals)
                    && Arrays.equals(rests, key.rests);
        }

        @Override
        public int hashCode() {
            int hash = Arrays.hashCode(terminals);
            for (Regex rest : rests) {
                hash = 31 * hash + rest.id;
            }
            return hash;
        }
    }

    /**
     * @param terminals the expressions, numbered by their place
     */
    public Lexer(RegexStore store, List<Regex> terminals) {
        this.store = store;
        this.terminals = terminals.toArray(Regex[]::new);
        classes = ByteClasses.of(terminals);
        lives = new EmptinessCheck(store, classes);
        form = new PlainTransitionCheck(store, classes);
        dead = new LexState(0, new int[0], new Regex[0], classes.count(), false);
    }

    /** The bytes that make a difference. */
    public ByteClasses classes() {
        return classes;
    }

    /** Whether a terminal has any text. */
    public boolean isAlive(int terminal) {
        return lives.isAlive(terminals[terminal]);
    }

    /** Whether a terminal has the empty text. */
    public boolean isNullable(int terminal) {
        return terminals[terminal].isNullable();
    }

    /** Number of states that are kept. */
    public int size() {
        return states.size();
    }

    /** Where some terminals begin, given by ascending numbers. */
    public LexState start(int... numbers) {
        int[] live = Arrays.stream(numbers).filter(this::isAlive).toArray();
        return keep(live, Arrays.stream(live).mapToObj(i -> terminals[i]).toArray(Regex[]::new));
    }

    /** The state behind a byte of a class. */
    public LexState next(LexState state, int byteClass) {
        LexState known = state.next[byteClass];
        if (known == null) {
            known = step(state, classes.representative(byteClass));
            state.next[byteClass] = known;
        }
        return known;
    }

    private LexState step(LexState state, int value) {
        int[] left = new int[state.terminals.length];
        Regex[] rests = new Regex[state.terminals.length];
        int count = 0;
        for (int i = 0; i < left.length; i++) {
            Regex rest = store.derive(state.rests[i], value);
            if (lives.isAlive(rest)) {
                left[count] = state.terminals[i];
                rests[count++] = rest;
            }
        }
        return keep(Arrays.copyOf(left, count), Arrays.copyOf(rests, count));
    }

    private LexState keep(int[] numbers, Regex[] rests) {
        if (numbers.length == 0) {
            return dead;
        }
        return states.computeIfAbsent(
                new Key(numbers, rests),
                _ -> {
                    store.footprint().add(stateBytes(numbers.length));
                    return new LexState(++ids, numbers, rests, classes.count(), goesOn(rests));
                });
    }

    /** A state and its key, and four arrays of the one and the other. */
    private long stateBytes(int terminals) {
        return STATE
                + Footprint.ENTRY
                + 3 * Footprint.array(terminals)
                + Footprint.array(classes.count());
    }

    /** What must have more bytes does go on, since it is alive; what may end need not. */
    private boolean goesOn(Regex... rests) {
        for (Regex rest : rests) {
            if (!rest.nullable || goesOn(rest)) {
                return true;
            }
        }
        return false;
    }

    private boolean goesOn(Regex rest) {
        if (rest.kind == Regex.Kind.EMPTY) {
            return false;
        }
        for (int i = 0; i < classes.count(); i++) {
            if (lives.isAlive(store.derive(rest, classes.representative(i)))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether all plain characters lead from a state to one and the same, as far as its form shows
     * it; false does not mean that they do not.
     */
    public boolean takesPlainTextAlike(LexState state) {
        for (Regex rest : state.rests) {
            if (!form.takesAlike(rest)) {
                return false;
            }
        }
        return state.rests.length > 0;
    }

    /**
     * Forgets the states it keeps, and what the store does but the terminals; those in use stay
     * right.
     *
     * @return about how many bytes the terminals take
     */
    public long forget() {
        states.values().forEach(state -> Arrays.fill(state.next, null));
        states.clear();
        form.forget();
        return store.forgetAllBut(Arrays.asList(terminals));
    }
}
