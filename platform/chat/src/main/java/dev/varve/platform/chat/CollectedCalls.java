package dev.varve.platform.chat;

import java.util.ArrayList;
import java.util.List;

/** Collects the tool calls of a response from their parts. */
public final class CollectedCalls {
    private final List<Call> calls = new ArrayList<>();

    /** Makes an empty collection. */
    public CollectedCalls() {}

    /** A tool call, whose arguments may still grow. */
    public record Call(String name, StringBuilder arguments) {}

    /** Adds the parts of calls in a piece of the response. */
    public void add(List<ToolCallDelta> parts) {
        for (ToolCallDelta part : parts) {
            part.name().ifPresent(name -> calls.add(new Call(name, new StringBuilder())));
            calls.get(part.index()).arguments().append(part.arguments());
        }
    }

    /** Returns the calls in their order. */
    public List<Call> calls() {
        return calls;
    }
}
