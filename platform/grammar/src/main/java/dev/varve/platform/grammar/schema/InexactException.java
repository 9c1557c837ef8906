package dev.varve.platform.grammar.schema;

import java.util.List;

/** Sets of values cannot be combined exactly; turned into a refusal of the keyword that asks. */
final class InexactException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final List<String> keywords;

    /**
     * @param message what cannot be done, as the end of a sentence
     * @param keywords which of a schema's may be the reason, the likeliest first; none where it
     *     shows from where this is thrown
     */
    InexactException(String message, String... keywords) {
        super(message);
        this.keywords = List.of(keywords);
    }

    List<String> keywords() {
        return keywords;
    }
}
