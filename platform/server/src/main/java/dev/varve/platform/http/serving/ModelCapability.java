package dev.varve.platform.http.serving;

import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.model.ToolSupport;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What clients can ask a model for. */
public enum ModelCapability {
    /** Texts go on. */
    COMPLETION,
    /** Conversations, by a chat template. */
    CHAT,
    /** Calls of declared tools. */
    TOOLS,
    /** Thoughts apart from the answer. */
    REASONING,
    /** Answers of a demanded form. */
    STRUCTURED_OUTPUT;

    /** Parts of templates whose models think. */
    private static final String[] THOUGHTS = {"enable_thinking", "reasoning_content", "<think>"};

    /** The word that people and programs read, such as {@code structured_output}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Those of a model that is loaded. */
    static Set<ModelCapability> of(ServedModel served) {
        EnumSet<ModelCapability> all = EnumSet.of(COMPLETION, STRUCTURED_OUTPUT);
        if (served.language().chat().isPresent()) {
            all.add(CHAT);
        }
        if (ToolSupport.of(served) == ToolSupport.FULL) {
            all.add(TOOLS);
        }
        if (served.language().dialect().hasReasoning()) {
            all.add(REASONING);
        }
        return all;
    }

    /**
     * What the chat template of a file lets expect; what can be read of answers is settled when the
     * model is loaded.
     */
    public static Set<ModelCapability> expected(Optional<String> template) {
        EnumSet<ModelCapability> all = EnumSet.of(COMPLETION, STRUCTURED_OUTPUT);
        template.ifPresent(
                text -> {
                    all.add(CHAT);
                    if (text.contains("tools")) {
                        all.add(TOOLS);
                    }
                    if (Stream.of(THOUGHTS).anyMatch(text::contains)) {
                        all.add(REASONING);
                    }
                });
        return all;
    }
}
