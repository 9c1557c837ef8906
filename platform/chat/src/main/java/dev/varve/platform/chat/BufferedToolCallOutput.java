package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallOutput;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Text that was read between the marks of one call and was not emitted yet. */
final class BufferedToolCallOutput implements ToolCallOutput {
    private final List<ToolCallDelta> finished = new ArrayList<>();
    private final StringBuilder arguments = new StringBuilder();
    private Optional<String> name = Optional.empty();
    private int begun;

    /** Begins the call when its name is complete and declared. */
    @Override
    public void begin(String declaredName) {
        flush();
        name = Optional.of(declaredName);
        begun++;
    }

    @Override
    public void append(CharSequence json) {
        arguments.append(json);
    }

    /** Whether a name has been read. */
    boolean isBegun() {
        return begun > 0;
    }

    /** Returns the number of calls so far; a family may write several between two marks. */
    int calls() {
        return begun;
    }

    private void flush() {
        if (name.isPresent() || !arguments.isEmpty()) {
            finished.add(new ToolCallDelta(begun - 1, name, arguments.toString()));
            name = Optional.empty();
            arguments.setLength(0);
        }
    }

    /** Returns the buffered parts; calls are counted from 0 for the first between these marks. */
    List<ToolCallDelta> take() {
        flush();
        List<ToolCallDelta> taken = List.copyOf(finished);
        finished.clear();
        return taken;
    }
}
