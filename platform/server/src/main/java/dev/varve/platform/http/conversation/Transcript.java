package dev.varve.platform.http.conversation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Messages in the form that chat templates expect: contents are strings, an absent one is empty;
 * arguments of tool calls are objects, or texts where the model wrote none; thoughts are called
 * {@code reasoning_content}; results of tools have the tool's name; {@code developer} is {@code
 * system}, and the values of {@link BillingHeader} are not in it.
 *
 * @param messages maps of plain values
 */
public record Transcript(List<Map<String, Object>> messages) {
    static final String ROLE = "role";
    static final String CONTENT = "content";
    static final String CALLS = "tool_calls";
    private static final String FUNCTION = "function";
    private static final String ARGUMENTS = "arguments";
    static final String THOUGHTS = "reasoning_content";
    static final String SYSTEM = "system";
    static final String ASSISTANT = "assistant";

    /** Copies the list. */
    public Transcript {
        messages = List.copyOf(messages);
    }

    /** Whether a system message comes behind another message. */
    public boolean hasLateSystem() {
        return messages.stream().skip(1).anyMatch(Transcript::isSystem);
    }

    /** All system messages as a single one in front, a blank line between them. */
    public Transcript systemFirst() {
        List<String> texts =
                messages.stream()
                        .filter(Transcript::isSystem)
                        .map(message -> (String) message.get(CONTENT))
                        .filter(text -> !text.isEmpty())
                        .toList();
        List<Map<String, Object>> ordered = new ArrayList<>();
        ordered.add(Map.of(ROLE, SYSTEM, CONTENT, String.join("\n\n", texts)));
        messages.stream().filter(message -> !isSystem(message)).forEach(ordered::add);
        return new Transcript(ordered);
    }

    /** Whether the arguments of a call are a text, over which templates cannot iterate. */
    boolean hasTextArguments() {
        return messages.stream()
                .flatMap(message -> calls(message).stream())
                .anyMatch(call -> function(call).get(ARGUMENTS) instanceof String);
    }

    /** The same with an empty object in the place of such texts. */
    Transcript withoutTextArguments() {
        return new Transcript(messages.stream().map(Transcript::withObjects).toList());
    }

    private static Map<String, Object> withObjects(Map<String, Object> message) {
        if (calls(message).isEmpty()) {
            return message;
        }
        Map<String, Object> changed = new LinkedHashMap<>(message);
        changed.put(CALLS, calls(message).stream().map(Transcript::withObject).toList());
        return changed;
    }

    private static Object withObject(Object call) {
        Map<String, Object> function = new LinkedHashMap<>(function(call));
        function.computeIfPresent(
                ARGUMENTS, (name, value) -> value instanceof String ? Map.of() : value);
        Map<String, Object> changed = new LinkedHashMap<>();
        ((Map<?, ?>) call).forEach((name, value) -> changed.put((String) name, value));
        changed.put(FUNCTION, function);
        return changed;
    }

    private static List<?> calls(Map<String, Object> message) {
        return message.get(CALLS) instanceof List<?> calls ? calls : List.of();
    }

    private static Map<String, Object> function(Object call) {
        Map<String, Object> function = new LinkedHashMap<>();
        if (call instanceof Map<?, ?> fields && fields.get(FUNCTION) instanceof Map<?, ?> inner) {
            inner.forEach((name, value) -> function.put((String) name, value));
        }
        return function;
    }

    /** What the last message says, if it is an assistant's that called no tool. */
    public Optional<String> unfinished() {
        if (messages.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Object> last = messages.getLast();
        return last.get(ROLE).equals(ASSISTANT) && !last.containsKey(CALLS)
                ? Optional.of((String) last.get(CONTENT))
                : Optional.empty();
    }

    /** Likewise, if it says anything: thoughts alone are no answer that could go on. */
    public Optional<String> begun() {
        return unfinished().filter(text -> !text.isEmpty());
    }

    /** All but the last message. */
    Transcript withoutLast() {
        return new Transcript(messages.subList(0, messages.size() - 1));
    }

    private static boolean isSystem(Map<String, Object> message) {
        return message.get(ROLE).equals(SYSTEM);
    }
}
