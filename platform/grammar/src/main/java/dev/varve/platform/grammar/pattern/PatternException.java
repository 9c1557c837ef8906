package dev.varve.platform.grammar.pattern;

/** A pattern is invalid, or needs a feature that no automaton supports. */
public final class PatternException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param index position in the pattern, counted in UTF-16 units
     * @param what a phrase that describes the error
     */
    public PatternException(int index, String what) {
        super(what + " at index " + index);
    }
}
