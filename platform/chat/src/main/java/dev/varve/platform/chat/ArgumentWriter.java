package dev.varve.platform.chat;

import dev.varve.api.model.JsonStrings;

/** Writes the arguments of a call as one JSON object, member by member. */
final class ArgumentWriter {
    private final BufferedToolCallOutput output;
    private boolean hasMembers;
    private boolean isWritten;

    ArgumentWriter(BufferedToolCallOutput output) {
        this.output = output;
    }

    void key(String key) {
        output.append((hasMembers ? "," : "{") + JsonStrings.quoted(key) + ":");
        hasMembers = true;
    }

    void raw(String json) {
        output.append(json);
    }

    /** Records that another writer wrote the whole object. */
    void written() {
        isWritten = true;
    }

    void end() {
        if (isWritten) {
            return;
        }
        output.append(hasMembers ? "}" : "{}");
    }
}
