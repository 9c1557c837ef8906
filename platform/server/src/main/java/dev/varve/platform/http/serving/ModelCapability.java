package dev.varve.platform.http.serving;

import dev.varve.api.model.Pooling;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.model.ToolSupport;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A capability of a model that clients may request. */
public enum ModelCapability {
    /** Text completion. */
    COMPLETION,
    /** Conversations, rendered by a chat template. */
    CHAT,
    /** Calls of declared tools. */
    TOOLS,
    /** Reasoning, separate from the content. */
    REASONING,
    /** Images in conversations. */
    VISION,
    /** Responses in a required format. */
    STRUCTURED_OUTPUT,
    /** Vectors of texts. */
    EMBEDDING,
    /** Scores of documents for a query. */
    RERANKING;

    /** Substrings of the templates of reasoning models. */
    private static final String[] REASONING_HINTS = {
        "enable_thinking", "reasoning_content", "<think>", "[THINK]", "<seed:think>", "<|channel|>"
    };

    /** Returns the name in responses, such as {@code structured_output}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the capabilities of a loaded model. */
    static Set<ModelCapability> of(ServedModel served) {
        EnumSet<ModelCapability> all = EnumSet.noneOf(ModelCapability.class);
        served.encoding()
                .ifPresent(
                        encoding ->
                                all.add(
                                        encoding.embedder().pooling() == Pooling.RANK
                                                ? RERANKING
                                                : EMBEDDING));
        if (!served.generates()) {
            return all;
        }
        all.add(COMPLETION);
        all.add(STRUCTURED_OUTPUT);
        if (served.textProcessing().chat().isPresent()) {
            all.add(CHAT);
        }
        if (ToolSupport.of(served) == ToolSupport.FULL) {
            all.add(TOOLS);
        }
        if (served.textProcessing().responseSyntax().hasReasoning()) {
            all.add(REASONING);
        }
        if (served.images().isPresent()) {
            all.add(VISION);
        }
        return all;
    }

    /**
     * Returns the capabilities that a file's chat template suggests; they are certain only after
     * the model is loaded.
     */
    public static Set<ModelCapability> expected(Optional<String> template) {
        EnumSet<ModelCapability> all = EnumSet.of(COMPLETION, STRUCTURED_OUTPUT);
        template.ifPresent(
                text -> {
                    all.add(CHAT);
                    if (text.contains("tools")) {
                        all.add(TOOLS);
                    }
                    if (Stream.of(REASONING_HINTS).anyMatch(text::contains)) {
                        all.add(REASONING);
                    }
                });
        return all;
    }
}
