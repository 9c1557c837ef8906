package dev.varve.platform.template;

import dev.varve.api.VarveException;

/**
 * A template that cannot be compiled, or a render that failed or was refused by the template
 * itself.
 */
public final class TemplateException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final int line;
    private final boolean raisedByTemplate;

    private TemplateException(String message, int line, boolean raisedByTemplate) {
        super(Kind.INVALID_REQUEST, message);
        this.line = line;
        this.raisedByTemplate = raisedByTemplate;
    }

    /** An error of the interpreter; the message is prefixed with the line. */
    static TemplateException at(int line, String message) {
        return new TemplateException("chat template line " + line + ": " + message, line, false);
    }

    /** What the template passed to {@code raise_exception}, word for word. */
    static TemplateException raised(int line, String message) {
        return new TemplateException(message, line, true);
    }

    /** Returns the line of the template source, counted from 1. */
    public int line() {
        return line;
    }

    /** Returns whether the template itself refused its input with {@code raise_exception}. */
    public boolean raisedByTemplate() {
        return raisedByTemplate;
    }
}
