package dev.varve.platform.grammar.pattern;

/** A pattern is not valid, or asks for what no automaton can do. */
public final class PatternException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int index;

    /**
     * @param index where in the pattern, counted in UTF-16 units
     * @param what a phrase that says what is wrong there
     */
    public PatternException(int index, String what) {
        super(what + " at index " + index);
        this.index = index;
    }

    /** Where in the pattern, counted in UTF-16 units. */
    public int index() {
        return index;
    }
}
