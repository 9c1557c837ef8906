package dev.varve.platform.http.conversation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Messages in the form that chat templates expect: contents are strings, empty if absent, or lists
 * of parts if there are images; arguments of tool calls are objects, or strings if the model wrote
 * no object; reasoning is called {@code reasoning_content}; tool results have the tool's name;
 * {@code developer} becomes {@code system}; values of {@link BillingHeader} are removed.
 *
 * @param messages maps of plain values
 * @param images the images among the contents, in order
 */
public record Transcript(List<Map<String, Object>> messages, List<ImageSource> images) {
    static final String ROLE = "role";
    static final String CONTENT = "content";
    static final String CALLS = "tool_calls";
    private static final String FUNCTION = "function";
    private static final String ARGUMENTS = "arguments";
    static final String REASONING = "reasoning_content";
    static final String SYSTEM = "system";
    static final String ASSISTANT = "assistant";
    private static final String USER = "user";
    private static final String TOOL = "tool";

    /** Copies the lists. */
    public Transcript {
        messages = List.copyOf(messages);
        images = List.copyOf(images);
    }

    /** Creates a transcript without images. */
    public Transcript(List<Map<String, Object>> messages) {
        this(messages, List.of());
    }

    /** Returns whether a system message follows another message. */
    public boolean hasLateSystem() {
        return messages.stream().skip(1).anyMatch(Transcript::isSystem);
    }

    /**
     * Returns a copy with all system messages merged into a single first one, separated by blank
     * lines.
     */
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
        return new Transcript(ordered, images);
    }

    /**
     * Returns whether the arguments of a call are a string, over which templates cannot iterate.
     */
    boolean hasTextArguments() {
        return messages.stream()
                .flatMap(message -> calls(message).stream())
                .anyMatch(call -> function(call).get(ARGUMENTS) instanceof String);
    }

    /** Returns a copy with an empty object instead of each such string. */
    Transcript withoutTextArguments() {
        return new Transcript(messages.stream().map(Transcript::withObjects).toList(), images);
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

    /** Returns the content of the last message, if it is an assistant's without tool calls. */
    public Optional<String> assistantPrefix() {
        if (messages.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Object> last = messages.getLast();
        return last.get(ROLE).equals(ASSISTANT) && !last.containsKey(CALLS)
                ? Optional.of((String) last.get(CONTENT))
                : Optional.empty();
    }

    /**
     * Returns the same content if it is not empty: a message of reasoning alone cannot be
     * continued.
     */
    public Optional<String> nonEmptyAssistantPrefix() {
        return assistantPrefix().filter(text -> !text.isEmpty());
    }

    /** Returns a copy without the last message. */
    Transcript withoutLast() {
        return new Transcript(messages.subList(0, messages.size() - 1), images);
    }

    /**
     * Returns a copy in which a user's message behind the results of tools has the images of these,
     * in the same order: the templates of some models have no places for images in results.
     */
    Transcript withImagesBehindResults() {
        List<Map<String, Object>> moved = new ArrayList<>();
        List<Object> waiting = new ArrayList<>();
        for (Map<String, Object> message : messages) {
            if (message.get(ROLE).equals(TOOL) && message.get(CONTENT) instanceof List<?> parts) {
                MessageParts text = new MessageParts();
                MessageParts.split(parts, text, waiting);
                moved.add(with(message, text.forTemplate()));
            } else if (!waiting.isEmpty() && message.get(ROLE).equals(USER)) {
                moved.add(with(message, MessageParts.before(waiting, message.get(CONTENT))));
                waiting.clear();
            } else {
                if (!message.get(ROLE).equals(TOOL)) {
                    addUser(waiting, moved);
                }
                moved.add(message);
            }
        }
        addUser(waiting, moved);
        return new Transcript(moved, images);
    }

    /** Adds a message of the images that wait, if there are any. */
    private static void addUser(List<Object> waiting, List<Map<String, Object>> messages) {
        if (!waiting.isEmpty()) {
            messages.add(Map.of(ROLE, USER, CONTENT, List.copyOf(waiting)));
            waiting.clear();
        }
    }

    private static Map<String, Object> with(Map<String, Object> message, Object content) {
        Map<String, Object> changed = new LinkedHashMap<>(message);
        changed.put(CONTENT, content);
        return changed;
    }

    private static boolean isSystem(Map<String, Object> message) {
        return message.get(ROLE).equals(SYSTEM);
    }
}
