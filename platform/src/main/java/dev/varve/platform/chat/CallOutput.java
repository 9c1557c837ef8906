package dev.varve.platform.chat;

import java.util.Optional;

/** What has been read of one call and not yet been handed on. */
final class CallOutput {
    private final StringBuilder arguments = new StringBuilder();
    private Optional<String> name = Optional.empty();
    private boolean begun;

    /** The name is complete and declared: from now on this is a call. */
    void begin(String declaredName) {
        name = Optional.of(declaredName);
        begun = true;
    }

    void append(CharSequence json) {
        arguments.append(json);
    }

    /** Whether the name has been read. */
    boolean isBegun() {
        return begun;
    }

    /** Hands on what is there, if there is anything. */
    Optional<CallDelta> take(int index) {
        if (name.isEmpty() && arguments.isEmpty()) {
            return Optional.empty();
        }
        CallDelta delta = new CallDelta(index, name, arguments.toString());
        name = Optional.empty();
        arguments.setLength(0);
        return Optional.of(delta);
    }
}
