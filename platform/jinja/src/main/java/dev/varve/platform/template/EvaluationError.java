package dev.varve.platform.template;

/**
 * A failure inside an expression; the interpreter, which knows the line, turns it into a {@link
 * TemplateException}.
 */
final class EvaluationError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean raisedByTemplate;

    EvaluationError(String message) {
        this(message, false);
    }

    EvaluationError(String message, boolean raisedByTemplate) {
        super(message, null, false, false);
        this.raisedByTemplate = raisedByTemplate;
    }

    boolean raisedByTemplate() {
        return raisedByTemplate;
    }
}
