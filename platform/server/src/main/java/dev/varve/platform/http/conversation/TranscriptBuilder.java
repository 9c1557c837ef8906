package dev.varve.platform.http.conversation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Builds a {@link Transcript} from turns that arrive in parts. Consecutive texts, reasoning and
 * calls of an assistant become one message.
 */
public final class TranscriptBuilder {
    private static final String NAME = "name";
    private static final String UNKNOWN = "unknown";

    private final List<Map<String, Object>> messages = new ArrayList<>();
    private final Map<String, String> toolNames = new HashMap<>();

    /** Adds a system message; values of {@link BillingHeader} are removed. */
    public void system(String text) {
        system(List.of(text));
    }

    /**
     * Adds a system message in parts. A header in a part of its own has no line feed after it, so
     * each part is masked separately.
     */
    public void system(List<String> parts) {
        add(
                Transcript.SYSTEM,
                parts.stream().map(BillingHeader::mask).collect(Collectors.joining()));
    }

    /** Adds a user's message. */
    public void user(String text) {
        add("user", text);
    }

    /** Adds a user's message whose content may have images. */
    public void user(MessageParts parts) {
        add("user", parts.forTemplate());
    }

    /** Appends text to the assistant's message. */
    public void assistantText(String text) {
        append(assistant(), Transcript.CONTENT, text);
    }

    /** Appends reasoning to the assistant's message. */
    public void assistantReasoning(String reasoning) {
        append(assistant(), Transcript.REASONING, reasoning);
    }

    /**
     * Adds a tool call to the assistant's message.
     *
     * @param id id by which the result refers to the call
     * @param arguments plain values by name
     */
    public void call(String id, String name, Object arguments) {
        Map<String, Object> function = new LinkedHashMap<>();
        function.put(NAME, name);
        function.put("arguments", arguments);
        Map<String, Object> call = new LinkedHashMap<>();
        call.put("id", id);
        call.put("type", "function");
        call.put("function", function);
        calls(assistant()).add(call);
        toolNames.put(id, name);
    }

    /** Adds the result of a call. */
    public void result(String id, String text) {
        addResult(id, text);
    }

    /** Adds the result of a call whose content may have images. */
    public void result(String id, MessageParts parts) {
        addResult(id, parts.forTemplate());
    }

    private void addResult(String id, Object content) {
        Map<String, Object> message = add("tool", content);
        message.put("tool_call_id", id);
        // Some templates need a name, so a result without a call has one too.
        message.put(NAME, toolNames.getOrDefault(id, UNKNOWN));
    }

    /** Returns whether there are no messages. */
    public boolean isEmpty() {
        return messages.isEmpty();
    }

    /**
     * Returns the transcript.
     *
     * @param images the images of its contents
     */
    public Transcript build(ImageCollector images) {
        return new Transcript(messages, images.sources());
    }

    private Map<String, Object> add(String role, Object content) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put(Transcript.ROLE, role);
        message.put(Transcript.CONTENT, content);
        messages.add(message);
        return message;
    }

    private Map<String, Object> assistant() {
        return Optional.of(messages)
                .filter(all -> !all.isEmpty())
                .map(List::getLast)
                .filter(last -> last.get(Transcript.ROLE).equals(Transcript.ASSISTANT))
                .orElseGet(() -> add(Transcript.ASSISTANT, ""));
    }

    private static void append(Map<String, Object> message, String key, String text) {
        message.merge(key, text, (before, more) -> (String) before + more);
    }

    @SuppressWarnings("unchecked")
    private static List<Object> calls(Map<String, Object> message) {
        return (List<Object>)
                message.computeIfAbsent(Transcript.CALLS, key -> new ArrayList<Object>());
    }
}
