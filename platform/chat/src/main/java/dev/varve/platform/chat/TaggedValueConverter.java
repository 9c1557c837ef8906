package dev.varve.platform.chat;

import dev.varve.api.model.JsonStrings;

/** Converts the raw text of one argument to JSON. */
final class TaggedValueConverter {
    private final ArgumentSchema type;
    private final boolean newlinesAround;
    private final ArgumentWriter arguments;
    private final StringBuilder buffered = new StringBuilder();
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
        buffered.append(text);
        if (!begun && !buffered.isEmpty()) {
            begun = true;
            endsLine = true;
            if (newlinesAround && buffered.charAt(0) == '\n') {
                buffered.deleteCharAt(0);
            }
        }
        if (!text.isEmpty()) {
            endsLine = text.charAt(text.length() - 1) == '\n';
        }
        if (!type.isString()) {
            return;
        }
        int settled = endsInNewline() ? buffered.length() - 1 : buffered.length();
        if (!streaming && settled > 0 && !type.mayBeNull(buffered.substring(0, settled))) {
            streaming = true;
            arguments.raw("\"");
        }
        if (streaming) {
            arguments.raw(JsonStrings.escaped(buffered.substring(0, settled)));
            buffered.delete(0, settled);
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
            buffered.setLength(buffered.length() - 1);
        }
        arguments.raw(
                streaming ? JsonStrings.escaped(buffered) + '"' : type.coerce(buffered.toString()));
    }

    private boolean endsInNewline() {
        return !buffered.isEmpty() && buffered.charAt(buffered.length() - 1) == '\n';
    }
}
