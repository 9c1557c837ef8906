package dev.varve.platform.template;

import dev.varve.api.VarveException;

/** A template cannot be compiled, or a render failed or was rejected by the template itself. */
public final class TemplateException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final int line;
    private final boolean raisedByTemplate;

    private TemplateException(String message, int line, boolean raisedByTemplate) {
        super(Kind.INVALID_REQUEST, message);
        this.line = line;
        this.raisedByTemplate = raisedByTemplate;
    }

    /** Creates an error of the interpreter; the message is prefixed with the line. */
    static TemplateException at(int line, String message) {
        return new TemplateException("chat template line " + line + ": " + message, line, false);
    }

    /** Creates an error with the template's argument of {@code raise_exception}, unchanged. */
    static TemplateException raised(int line, String message) {
        return new TemplateException(message, line, true);
    }

    /** Returns the line of the template source, counted from 1. */
    public int line() {
        return line;
    }

    /** Returns whether the template itself rejected its input with {@code raise_exception}. */
    public boolean raisedByTemplate() {
        return raisedByTemplate;
    }
}
