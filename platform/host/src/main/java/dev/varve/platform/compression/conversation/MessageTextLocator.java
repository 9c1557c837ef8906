package dev.varve.platform.compression.conversation;

import dev.varve.platform.compression.PromptMessage;
import dev.varve.platform.compression.selection.CharRange;
import dev.varve.platform.template.PromptSpan;
import dev.varve.platform.template.RenderedPrompt;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Locates the texts of messages in a rendered prompt. */
final class MessageTextLocator {
    private final String text;

    /** Ranges that come from messages and not from the template. */
    private final List<CharRange> inputs = new ArrayList<>();

    MessageTextLocator(RenderedPrompt prompt) {
        text = prompt.text();
        int at = 0;
        for (PromptSpan span : prompt.spans()) {
            int end = at + span.text().length();
            if (!span.trusted() && end > at) {
                inputs.add(new CharRange(at, end));
            }
            at = end;
        }
    }

    /** Returns the whole prompt. */
    String text() {
        return text;
    }

    /**
     * Returns the places of the messages' texts, by message number. A template may omit a text,
     * change it or move it; then the result lacks it.
     */
    Map<Integer, CharRange> find(List<PromptMessage> messages) {
        Map<Integer, CharRange> found = new TreeMap<>();
        int from = 0;
        for (int i = 0; i < messages.size(); i++) {
            String words = messages.get(i).text().strip();
            Optional<CharRange> range = words.isEmpty() ? Optional.empty() : find(words, from);
            if (range.isPresent()) {
                found.put(i, range.get());
                from = range.get().end();
            }
        }
        return found;
    }

    private Optional<CharRange> find(String words, int from) {
        for (int at = text.indexOf(words, from); at >= 0; at = text.indexOf(words, at + 1)) {
            CharRange range = new CharRange(at, at + words.length());
            if (inputs.stream()
                    .anyMatch(each -> each.begin() <= range.begin() && range.end() <= each.end())) {
                return Optional.of(range);
            }
        }
        return Optional.empty();
    }
}
