package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.PromptMessage;
import dev.varve.platform.template.PromptSpan;
import dev.varve.platform.template.RenderedPrompt;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Renders texts with ChatML markup, on which models of the Qwen families were trained. A drafter
 * reads this form if it does not know the markup of the target's template.
 */
public final class ChatMlRenderer {
    private static final String BEGIN = "<|im_start|>";
    private static final String END = "<|im_end|>";

    private ChatMlRenderer() {}

    /** Whether the ChatML marks are tokens of a vocabulary. */
    static boolean isKnownTo(Tokenizer tokenizer) {
        return tokenizer.tokenId(BEGIN).isPresent() && tokenizer.tokenId(END).isPresent();
    }

    /** Whether a prompt contains the marks. */
    static boolean isIn(RenderedPrompt prompt) {
        return prompt.spans().stream()
                .anyMatch(span -> span.trusted() && span.text().contains(BEGIN));
    }

    /** Renders messages, which are maps in the form that templates expect. */
    public static RenderedPrompt render(List<Map<String, Object>> messages) {
        List<PromptSpan> spans = new ArrayList<>();
        for (Map<String, Object> fields : messages) {
            PromptMessage message = new PromptMessage(fields);
            spans.add(PromptSpan.ofTemplate(BEGIN));
            spans.add(PromptSpan.ofInput(message.role()));
            spans.add(PromptSpan.ofTemplate("\n"));
            spans.add(PromptSpan.ofInput(message.text()));
            spans.add(PromptSpan.ofTemplate(END + "\n"));
        }
        spans.add(PromptSpan.ofTemplate(BEGIN + "assistant\n"));
        return new RenderedPrompt(spans);
    }
}
