package dev.varve.platform.template;

import java.util.ArrayList;
import java.util.List;

/**
 * A prompt with the origin of its characters.
 *
 * <p>A template may also receive it as a variable, alone or inside lists and maps: it then acts as
 * a string that keeps its spans. Text that the model itself wrote is replayed with its special
 * tokens in this way.
 *
 * @param spans pieces in order; neighbours of equal trust are merged and empty ones dropped
 */
public record RenderedPrompt(List<PromptSpan> spans) {
    /** Merges neighbours of equal trust. */
    public RenderedPrompt {
        spans = merged(spans);
    }

    /** Returns the whole prompt. */
    public String text() {
        StringBuilder text = new StringBuilder();
        spans.forEach(span -> text.append(span.text()));
        return text.toString();
    }

    private static List<PromptSpan> merged(List<PromptSpan> spans) {
        List<PromptSpan> merged = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        PromptSpan.Origin origin = PromptSpan.Origin.INPUT;
        for (PromptSpan span : spans) {
            boolean changes = span.origin() != origin && !span.text().isEmpty();
            if (changes && !text.isEmpty()) {
                merged.add(new PromptSpan(text.toString(), origin));
                text.setLength(0);
            }
            origin = changes ? span.origin() : origin;
            text.append(span.text());
        }
        if (!text.isEmpty()) {
            merged.add(new PromptSpan(text.toString(), origin));
        }
        return List.copyOf(merged);
    }
}
