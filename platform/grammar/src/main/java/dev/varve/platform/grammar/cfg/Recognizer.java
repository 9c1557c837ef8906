package dev.varve.platform.grammar.cfg;

import dev.varve.platform.grammar.regex.ByteClasses;
import dev.varve.platform.grammar.regex.Footprint;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.regex.LexState;
import dev.varve.platform.grammar.regex.Lexer;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads texts of a grammar byte by byte. Where a terminal may end or continue, both are followed.
 * For one thread at a time.
 */
public final class Recognizer {
    private static final int MOST_THREADS = 1 << 10;
    private static final int STATE = 64;

    private final Grammar grammar;
    private final Lexer lexer;
    private final EarleySetStore sets;
    private final ByteClasses classes;
    private final Map<Key, ParseState> states = new HashMap<>();
    private final ParseState dead;
    private final ParseState start;
    private int clears;

    private record Key(EarleySet[] starts, LexState[] lexemes, boolean accepts) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key
                    && accepts == key.accepts
                    && Arrays.equals(starts, key.starts)
                    && Arrays.equals(lexemes, key.lexemes);
        }

        @Override
        public int hashCode() {
            int hash = accepts ? 1 : 0;
            for (int i = 0; i < starts.length; i++) {
                hash = 31 * (31 * hash + starts[i].id) + lexemes[i].id();
            }
            return hash;
        }
    }

    /** Creates a recognizer for a grammar that is used nowhere else. */
    public Recognizer(Grammar grammar) {
        this.grammar = grammar;
        lexer = grammar.lexer();
        classes = lexer.classes();
        sets = new EarleySetStore(grammar);
        dead = new ParseState(new EarleySet[0], new LexState[0], false, classes.count());
        Threads threads = new Threads(1);
        threads.enter(sets.start());
        start = threads.state();
    }

    /** Classes of equivalent bytes. */
    public ByteClasses classes() {
        return classes;
    }

    /** The state after a text that is not permitted. */
    public ParseState dead() {
        return dead;
    }

    /** The state at the beginning of every text; dead if the grammar matches none. */
    public ParseState start() {
        return start;
    }

    /** Returns the state after a byte, 0 to 255. */
    public ParseState next(ParseState state, int value) {
        int byteClass = classes.of(value);
        ParseState known = state.next[byteClass];
        if (known == null) {
            if (footprint().isFull()) {
                clear();
            }
            known = step(state, byteClass);
            state.next[byteClass] = known;
        }
        return known;
    }

    /** Returns the state after some bytes. */
    public ParseState next(ParseState state, byte... values) {
        ParseState at = state;
        for (int i = 0; i < values.length && !at.isDead(); i++) {
            at = next(at, values[i] & 0xff);
        }
        return at;
    }

    /** Returns the byte that must follow; -1 if several may, or the text may end. */
    public int forced(ParseState state) {
        if (state.accepts()) {
            return -1;
        }
        int forced = -1;
        for (int byteClass = 0; byteClass < classes.count(); byteClass++) {
            int only = classes.only(byteClass);
            int value = only < 0 ? classes.representative(byteClass) : only;
            if (!next(state, value).isDead()) {
                if (forced >= 0 || only < 0) {
                    return -1;
                }
                forced = only;
            }
        }
        return forced;
    }

    /**
     * Returns whether the form of the current terminal proves that all characters that need no
     * escape in JSON strings lead to one state.
     */
    public boolean isUniformForPlainText(ParseState state) {
        for (LexState lexeme : state.lexemes) {
            if (!lexer.isUniformForPlainText(lexeme)) {
                return false;
            }
        }
        return state.lexemes.length > 0;
    }

    private ParseState step(ParseState state, int byteClass) {
        grammar.store().budget().spend(state.starts.length);
        Threads threads = null;
        for (int i = 0; i < state.starts.length; i++) {
            LexState lexeme = lexer.next(state.lexemes[i], byteClass);
            if (lexeme.isDead()) {
                continue;
            }
            if (lexeme == state.lexemes[i] && state.isReadingOne() && !lexeme.isComplete()) {
                return state;
            }
            if (threads == null) {
                threads = new Threads(state.starts.length + 1);
            }
            if (lexeme.canContinue()) {
                threads.add(state.starts[i], lexeme);
            }
            if (lexeme.isComplete()) {
                threads.complete(state.starts[i], lexeme.complete());
            }
        }
        return threads == null ? dead : threads.state();
    }

    /**
     * Discards cached states if there are many. States in use stay valid.
     *
     * @return whether it discarded them
     */
    public boolean clearIfFull() {
        boolean crowded = grammar.store().isFull() || footprint().isFull();
        if (crowded) {
            clear();
        }
        return crowded;
    }

    private void clear() {
        states.values().forEach(state -> Arrays.fill(state.next, null));
        states.clear();
        sets.clear();
        lexer.clear();
        footprint().clear();
        clears++;
    }

    /**
     * Number of times that cached states were discarded. Callers that keep states should then
     * discard theirs.
     */
    public int clears() {
        return clears;
    }

    /** Counts the memory of the grammar's caches. */
    public Footprint footprint() {
        return grammar.store().footprint();
    }

    /** A state under construction. */
    private final class Threads {
        private EarleySet[] starts;
        private LexState[] lexemes;
        private int count;
        private EarleySet completeIn;
        private int[] complete;
        private EarleyItems scanned;
        private boolean accepts;

        Threads(int expected) {
            starts = new EarleySet[expected];
            lexemes = new LexState[expected];
        }

        /**
         * Adds a terminal that is being read, in an order that does not depend on the path to this
         * state.
         */
        void add(EarleySet start, LexState lexeme) {
            int at = count;
            while (at > 0 && isBehind(at - 1, start, lexeme)) {
                at--;
            }
            if (at > 0 && starts[at - 1] == start && lexemes[at - 1] == lexeme) {
                return;
            }
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, count * 2 + 1);
                lexemes = Arrays.copyOf(lexemes, count * 2 + 1);
            }
            System.arraycopy(starts, at, starts, at + 1, count - at);
            System.arraycopy(lexemes, at, lexemes, at + 1, count - at);
            starts[at] = start;
            lexemes[at] = lexeme;
            count++;
        }

        private boolean isBehind(int index, EarleySet start, LexState lexeme) {
            int order = Integer.compare(starts[index].id, start.id);
            return order > 0 || order == 0 && lexemes[index].id() > lexeme.id();
        }

        private void checkNumber() {
            if (count > MOST_THREADS) {
                throw new GrammarLimitException(
                        "the grammar is too ambiguous: a text may be read in more than "
                                + MOST_THREADS
                                + " ways at once");
            }
        }

        /** Usually only one terminal ends, or several of one set: their successor is cached. */
        void complete(EarleySet start, int[] terminals) {
            if (completeIn == null) {
                completeIn = start;
                complete = terminals;
                return;
            }
            if (scanned == null) {
                scanned = new EarleyItems();
                sets.scan(completeIn, complete, scanned);
            }
            sets.scan(start, terminals, scanned);
        }

        void enter(EarleySet set) {
            accepts = set.accepts;
            if (!set.lexemes.isDead()) {
                add(set, set.lexemes);
            }
        }

        ParseState state() {
            if (completeIn != null) {
                enter(scanned == null ? sets.behind(completeIn, complete) : sets.complete(scanned));
            }
            if (count == 0 && !accepts) {
                return dead;
            }
            checkNumber();
            Key key = new Key(Arrays.copyOf(starts, count), Arrays.copyOf(lexemes, count), accepts);
            ParseState known = states.get(key);
            if (known == null) {
                known = new ParseState(key.starts, key.lexemes, accepts, classes.count());
                states.put(key, known);
                footprint().add(stateBytes(count));
            }
            return known;
        }

        /** Bytes of a state, its key, and their arrays. */
        private long stateBytes(int starts) {
            return STATE
                    + Footprint.ENTRY
                    + 2 * Footprint.array(starts)
                    + Footprint.array(classes.count());
        }
    }
}
