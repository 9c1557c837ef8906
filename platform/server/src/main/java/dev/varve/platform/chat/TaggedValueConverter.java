package dev.varve.platform.chat;

import dev.varve.api.model.JsonStrings;

/** Converts the raw text of one argument to JSON. */
final class TaggedValueConverter {
    private final ArgumentSchema type;
    private final boolean newlinesAround;
    private final ArgumentWriter arguments;
    private final StringBuilder held = new StringBuilder();
    private boolean begun;
    private boolean endsLine = true;
    private boolean streaming;

    /**
     * @param newlinesAround whether one newline on each side is not part of the value
     */
    TaggedValueConverter(ArgumentSchema type, boolean newlinesAround, ArgumentWriter arguments) {
        this.type = type;
        this.newlinesAround = newlinesAround;
        this.arguments = arguments;
    }

    void push(String text) {
        held.append(text);
        if (!begun && !held.isEmpty()) {
            begun = true;
            endsLine = true;
            if (newlinesAround && held.charAt(0) == '\n') {
                held.deleteCharAt(0);
            }
        }
        if (!text.isEmpty()) {
            endsLine = text.charAt(text.length() - 1) == '\n';
        }
        if (!type.isString()) {
            return;
        }
        int settled = endsInNewline() ? held.length() - 1 : held.length();
        if (!streaming && settled > 0 && !type.mayBeNull(held.substring(0, settled))) {
            streaming = true;
            arguments.raw("\"");
        }
        if (streaming) {
            arguments.raw(JsonStrings.escaped(held.substring(0, settled)));
            held.delete(0, settled);
        }
    }

    /** Whether the next text begins a line. */
    boolean endsLine() {
        return endsLine;
    }

    /**
     * Ends the value.
     *
     * @param isTagged whether its own tag ends it; a newline before another tag is not part of it
     */
    void end(boolean isTagged) {
        if ((newlinesAround || !isTagged) && endsInNewline()) {
            held.setLength(held.length() - 1);
        }
        arguments.raw(streaming ? JsonStrings.escaped(held) + '"' : type.coerce(held.toString()));
    }

    private boolean endsInNewline() {
        return !held.isEmpty() && held.charAt(held.length() - 1) == '\n';
    }
}
