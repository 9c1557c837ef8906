package dev.varve.platform.http.responses;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Maps between the model's names of tools, which form one namespace, and the client's names, which
 * may be in several namespaces.
 */
final class ToolNames {
    /** Form in which calls of a tool are reported. */
    enum Kind {
        /** Arguments, as the text of a JSON object. */
        FUNCTION,
        /** Free text. */
        CUSTOM
    }

    /**
     * A tool as its client knows it.
     *
     * @param namespace its namespace, if any
     */
    record Tool(Kind kind, Optional<String> namespace, String name) {}

    private final Map<String, Tool> tools = new LinkedHashMap<>();
    private final Set<String> reserved;

    /**
     * Makes an empty map; {@code reserved} has the names of tools without a namespace, which stay
     * unchanged.
     */
    ToolNames(Set<String> reserved) {
        this.reserved = Set.copyOf(reserved);
    }

    /**
     * Adds a tool.
     *
     * @return the model's name for it; empty if all candidate names are taken
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

    /** Returns whether there is any tool. */
    boolean any() {
        return !tools.isEmpty();
    }

    /** Returns whether this is the model's name of a tool. */
    boolean contains(String name) {
        return tools.containsKey(name);
    }

    /**
     * Returns the client's tool for a name of the model; a function without a namespace if the name
     * is unknown.
     */
    Tool client(String name) {
        return tools.getOrDefault(name, new Tool(Kind.FUNCTION, Optional.empty(), name));
    }

    /** Returns the model's name of a client's tool; the client's name if the tool is unknown. */
    String model(Optional<String> namespace, String name) {
        return tools.entrySet().stream()
                .filter(entry -> entry.getValue().name().equals(name))
                .filter(entry -> entry.getValue().namespace().equals(namespace))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(name);
    }
}
