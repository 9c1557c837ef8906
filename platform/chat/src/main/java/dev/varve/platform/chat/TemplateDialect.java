package dev.varve.platform.chat;

import dev.varve.api.model.ChatDialect;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Dialect of a chat template, derived from its source: one architecture has models of many
 * dialects, and the template shows with which one a model was trained. Immutable.
 */
public final class TemplateDialect {
    private static final String SWITCH = "enable_thinking";
    private static final String EFFORT = "reasoning_effort";

    private final TemplateMarkup markup;
    private final ChatDialect marks;
    private final HistoryStyle history;

    private TemplateDialect(TemplateMarkup markup, ChatDialect marks, HistoryStyle history) {
        this.markup = markup;
        this.marks = marks;
        this.history = history;
    }

    /** Derives the dialect of a template from its source. */
    public static TemplateDialect of(String source) {
        TemplateMarkup markup = TemplateMarkup.of(source);
        return new TemplateDialect(
                markup,
                new ChatDialect(markup.reasoning(source), markup.tools()),
                HistoryStyle.of(markup, source));
    }

    /** Returns the markup of calls. */
    TemplateMarkup markup() {
        return markup;
    }

    /** Returns the marks of responses; none if these are messages in channels. */
    ChatDialect marks() {
        return marks;
    }

    /** Whether responses are messages in channels. */
    boolean hasChannels() {
        return markup == TemplateMarkup.HARMONY;
    }

    /**
     * Returns the variables with messages, tools and switches in the form that the template
     * expects.
     */
    Map<String, Object> adapted(Map<String, Object> variables) {
        Map<String, Object> all = new HashMap<>(variables);
        if (variables.get("messages") instanceof List<?> messages) {
            all.put("messages", history.adapted(messages));
        }
        if (variables.get("tools") instanceof List<?> tools) {
            all.put("tools", ToolDefaults.adapted(markup, tools));
        }
        if (variables.get(SWITCH) instanceof Boolean enabled) {
            putSwitch(all, enabled);
        }
        return all;
    }

    private void putSwitch(Map<String, Object> variables, boolean isOn) {
        switch (markup) {
            case DEEPSEEK, DEEPSEEK_FENCED -> variables.putIfAbsent("thinking", isOn);
            case SEED -> {
                if (!isOn) {
                    variables.putIfAbsent("thinking_budget", 0);
                }
            }
            case HARMONY -> {
                if (!isOn) {
                    variables.putIfAbsent(EFFORT, "low");
                }
            }
            default -> {}
        }
    }
}
