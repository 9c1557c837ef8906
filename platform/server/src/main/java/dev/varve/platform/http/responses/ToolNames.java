package dev.varve.platform.http.responses;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the tools of a request are called: by the model, which has one space of names, and by the
 * client, whose tools may lie in namespaces.
 */
final class ToolNames {
    /** How calls of a tool are told. */
    enum Kind {
        /** With arguments, the text of a JSON object. */
        FUNCTION,
        /** With a text of any form. */
        CUSTOM
    }

    /**
     * A tool as its client knows it.
     *
     * @param namespace that it is in
     */
    record Tool(Kind kind, Optional<String> namespace, String name) {}

    private final Map<String, Tool> tools = new LinkedHashMap<>();
    private final Set<String> reserved;

    /** {@code reserved}: names of the tools that are in no namespace, which keep them. */
    ToolNames(Set<String> reserved) {
        this.reserved = Set.copyOf(reserved);
    }

    /**
     * Adds a tool.
     *
     * @return what the model calls it; empty if there is no name left for it
     */
    Optional<String> add(Tool tool) {
        Optional<String> free =
                candidates(tool).stream().filter(name -> !tools.containsKey(name)).findFirst();
        free.ifPresent(name -> tools.put(name, tool));
        return free;
    }

    private List<String> candidates(Tool tool) {
        if (tool.namespace().isEmpty()) {
            return List.of(tool.name());
        }
        String space = tool.namespace().get();
        String full = space + (space.endsWith("_") ? "" : "__") + tool.name();
        return reserved.contains(tool.name()) ? List.of(full) : List.of(tool.name(), full);
    }

    /** Whether there is a tool. */
    boolean any() {
        return !tools.isEmpty();
    }

    /** Whether the model calls a tool so. */
    boolean contains(String name) {
        return tools.containsKey(name);
    }

    /** The tool that the model calls so; a function without a namespace where none is known. */
    Tool client(String name) {
        return tools.getOrDefault(name, new Tool(Kind.FUNCTION, Optional.empty(), name));
    }

    /** What the model calls a tool of the client; its own name where none is known. */
    String model(Optional<String> namespace, String name) {
        return tools.entrySet().stream()
                .filter(entry -> entry.getValue().name().equals(name))
                .filter(entry -> entry.getValue().namespace().equals(namespace))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(name);
    }
}
