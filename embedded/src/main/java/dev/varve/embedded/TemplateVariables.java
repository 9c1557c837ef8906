package dev.varve.embedded;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Variables of chat templates, as the server sets them. */
final class TemplateVariables {
    private static final String CONTENT = "content";
    private static final String ROLE = "role";

    private TemplateVariables() {}

    /** Returns the variables of a chat. */
    static Map<String, Object> of(
            List<Message> messages, List<Tool> tools, Optional<Boolean> reasoning) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("messages", messages.stream().map(TemplateVariables::message).toList());
        // Templates test whether the variable is set.
        variables.put(
                "tools",
                tools.isEmpty() ? null : tools.stream().map(ToolJson::forTemplate).toList());
        reasoning.ifPresent(enabled -> variables.put("enable_thinking", enabled));
        return variables;
    }

    private static Map<String, Object> message(Message message) {
        return switch (message) {
            case Message.System(String text) -> fields("system", text);
            case Message.User(String text) -> fields("user", text);
            case Message.Assistant(String text, List<ToolCall> calls) -> {
                Map<String, Object> fields = fields("assistant", text);
                if (!calls.isEmpty()) {
                    fields.put("tool_calls", calls.stream().map(ToolJson::forTemplate).toList());
                }
                yield fields;
            }
            case Message.ToolResult(ToolCall call, String text) -> {
                Map<String, Object> fields = fields("tool", text);
                fields.put("tool_call_id", call.id());
                fields.put("name", call.name());
                yield fields;
            }
        };
    }

    private static Map<String, Object> fields(String role, String content) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(ROLE, role);
        fields.put(CONTENT, content);
        return fields;
    }
}
