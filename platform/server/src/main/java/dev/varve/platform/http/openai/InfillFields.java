package dev.varve.platform.http.openai;

import dev.varve.platform.http.json.RequestFields;

/**
 * Fields by which a route's bodies ask for the middle of a text; those of other routes are none.
 */
public enum InfillFields {
    /** {@code suffix} behind {@code prompt}, as in OpenAI's API. */
    SUFFIX("suffix"),
    /** {@code input_prefix}, {@code input_suffix} and {@code input_extra} of llama.cpp. */
    INPUT("input_suffix"),
    /** None: the route's prompts are complete. */
    NONE("");

    private final String suffix;

    InfillFields(String suffix) {
        this.suffix = suffix;
    }

    /** Returns the name of the field with the text behind the gap. */
    String suffix() {
        return suffix;
    }

    /** Returns whether a body asks for the middle of a text. */
    boolean areIn(RequestFields fields) {
        return switch (this) {
            case SUFFIX -> fields.text(suffix).filter(text -> !text.isEmpty()).isPresent();
            case INPUT -> true;
            case NONE -> false;
        };
    }
}
