package dev.varve.platform.chat;

import dev.varve.api.model.JsonStrings;

/** Writes the arguments of a call as one JSON object, member by member. */
final class ArgumentWriter {
    private final CallOutput output;
    private boolean hasMembers;

    ArgumentWriter(CallOutput output) {
        this.output = output;
    }

    void key(String key) {
        output.append((hasMembers ? "," : "{") + JsonStrings.quoted(key) + ":");
        hasMembers = true;
    }

    void raw(String json) {
        output.append(json);
    }

    void end() {
        output.append(hasMembers ? "}" : "{}");
    }
}
