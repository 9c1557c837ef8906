package dev.varve.platform.chat;

/** Writes the arguments of a call as one JSON object, member by member. */
final class ArgumentWriter {
    private final CallOutput output;
    private boolean hasMembers;

    ArgumentWriter(CallOutput output) {
        this.output = output;
    }

    void key(String key) {
        output.append((hasMembers ? "," : "{") + JsonText.quoted(key) + ":");
        hasMembers = true;
    }

    void raw(String json) {
        output.append(json);
    }

    void end() {
        output.append(hasMembers ? "}" : "{}");
    }
}
