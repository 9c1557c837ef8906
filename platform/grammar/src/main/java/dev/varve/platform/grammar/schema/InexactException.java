package dev.varve.platform.grammar.schema;

import java.util.List;

/**
 * Sets of values cannot be combined exactly; the compiler converts it to a rejection of the
 * responsible keyword.
 */
final class InexactException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final List<String> keywords;

    /**
     * @param message the impossible operation, as the end of a sentence
     * @param keywords the schema's keywords that may be the reason, the likeliest first; empty if
     *     the thrower's position identifies it
     */
    InexactException(String message, String... keywords) {
        super(message);
        this.keywords = List.of(keywords);
    }

    List<String> keywords() {
        return keywords;
    }
}
