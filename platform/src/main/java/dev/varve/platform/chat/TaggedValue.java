package dev.varve.platform.chat;

import dev.varve.api.model.JsonStrings;

/** The raw text of one argument on its way to JSON. */
final class TaggedValue {
    private final ArgumentType type;
    private final boolean newlinesAround;
    private final ArgumentWriter arguments;
    private final StringBuilder held = new StringBuilder();
    private boolean begun;
    private boolean streaming;

    /**
     * @param newlinesAround whether one newline on each side is no part of the value
     */
    TaggedValue(ArgumentType type, boolean newlinesAround, ArgumentWriter arguments) {
        this.type = type;
        this.newlinesAround = newlinesAround;
        this.arguments = arguments;
    }

    void push(String text) {
        held.append(text);
        if (!begun && !held.isEmpty()) {
            begun = true;
            if (newlinesAround && held.charAt(0) == '\n') {
                held.deleteCharAt(0);
            }
        }
        if (!type.isString()) {
            return;
        }
        int settled = newlinesAround && endsInNewline() ? held.length() - 1 : held.length();
        if (!streaming && settled > 0 && !type.mayBeNull(held.substring(0, settled))) {
            streaming = true;
            arguments.raw("\"");
        }
        if (streaming) {
            arguments.raw(JsonStrings.escaped(held.substring(0, settled)));
            held.delete(0, settled);
        }
    }

    void end() {
        if (newlinesAround && endsInNewline()) {
            held.setLength(held.length() - 1);
        }
        arguments.raw(streaming ? JsonStrings.escaped(held) + '"' : type.coerce(held.toString()));
    }

    private boolean endsInNewline() {
        return !held.isEmpty() && held.charAt(held.length() - 1) == '\n';
    }
}
