package dev.varve.platform.chat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parts of declared tools that a template reads, although a request may leave them out. Without
 * them the template would refuse the whole request.
 */
final class ToolDefaults {
    private static final String FUNCTION = "function";
    private static final String DESCRIPTION = "description";
    private static final String PARAMETERS = "parameters";
    private static final String PROPERTIES = "properties";

    private ToolDefaults() {}

    /** Returns tools with the parts that a template reads; a value that is no tool stays. */
    static List<?> adapted(TemplateMarkup markup, List<?> tools) {
        return switch (markup) {
            case HARMONY, SEED -> tools.stream().map(tool -> complete(markup, tool)).toList();
            default -> tools;
        };
    }

    private static Object complete(TemplateMarkup markup, Object tool) {
        if (!(tool instanceof Map<?, ?> fields)
                || !(fields.get(FUNCTION) instanceof Map<?, ?> given)) {
            return tool;
        }
        Map<Object, Object> function = new LinkedHashMap<>(given);
        if (markup == TemplateMarkup.HARMONY) {
            function.putIfAbsent(DESCRIPTION, "");
        } else {
            function.put(PARAMETERS, withProperties(function.get(PARAMETERS)));
        }
        Map<Object, Object> completed = new LinkedHashMap<>(fields);
        completed.put(FUNCTION, function);
        return completed;
    }

    private static Map<Object, Object> withProperties(Object parameters) {
        Map<Object, Object> all = new LinkedHashMap<>();
        if (parameters instanceof Map<?, ?> given) {
            all.putAll(given);
        }
        all.putIfAbsent(PROPERTIES, Map.of());
        return all;
    }
}
