package dev.varve.platform.cli;

import dev.varve.platform.compression.CompressedText;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.conversation.CompressedConversation;
import dev.varve.platform.compression.selection.KeepReason;
import dev.varve.platform.compression.selection.KeptRange;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Locale;
import java.util.Map;

/** Renders a compressed prompt as text or as JSON. */
final class CompressionView {
    private static final String RESET = "\u001b[0m";
    private static final String DIMMED = "\u001b[2;9m";

    private CompressionView() {}

    /**
     * Renders the prompt: removed text is dimmed and struck through, kept text has the colour of
     * its reason; without colours a mark replaces removed text.
     */
    static String text(CompressedText prompt, boolean colours) {
        StringBuilder text = new StringBuilder();
        int token = 0;
        for (KeptRange kept : prompt.selection().kept()) {
            omit(prompt, token, kept.tokens().begin(), colours, text);
            String words = words(prompt, kept.tokens().begin(), kept.tokens().end());
            text.append(colours ? colour(kept.reason()) + words + RESET : words);
            token = kept.tokens().end();
        }
        omit(prompt, token, prompt.pieces().tokens(), colours, text);
        return text.toString();
    }

    private static void omit(
            CompressedText prompt, int begin, int end, boolean colours, StringBuilder text) {
        if (begin < end) {
            text.append(
                    colours
                            ? DIMMED + words(prompt, begin, end) + RESET
                            : "[… " + (end - begin) + " tokens removed …]");
        }
    }

    private static String words(CompressedText prompt, int begin, int end) {
        return prompt.text()
                .substring(prompt.pieces().charsBefore(begin), prompt.pieces().charsBefore(end));
    }

    private static String colour(KeepReason reason) {
        int number =
                switch (reason) {
                    case WHOLE, PROTECTED -> 39;
                    case HEAD, TAIL -> 36;
                    case ANCHOR, TRANSITIVE, REPEAT -> 33;
                    case SCORE -> 32;
                    case WORD -> 34;
                };
        return "\u001b[" + number + "m";
    }

    /** Renders all fields of the prompt. */
    static ObjectNode json(
            CompressionReport report, CompressedConversation shorter, CompressedText prompt) {
        ObjectNode json =
                CliJson.object()
                        .put("prompt_tokens", report.promptTokens())
                        .put("effective_prompt_tokens", report.effectiveTokens())
                        .put("drafter_tokens", prompt.pieces().tokens())
                        .put("keep_requested", report.keepRequested())
                        .put("keep_actual", report.keepActual())
                        .put("tokenize_ms", report.times().tokenizeMillis())
                        .put("score_ms", report.times().scoreMillis())
                        .put("select_ms", report.times().selectMillis());
        ArrayNode kept = json.putArray("kept");
        for (KeptRange range : prompt.selection().kept()) {
            int begin = range.tokens().begin();
            int end = range.tokens().end();
            kept.addObject()
                    .put("begin", prompt.pieces().charsBefore(begin))
                    .put("end", prompt.pieces().charsBefore(end))
                    .put("tokens", end - begin)
                    .put("reason", range.reason().name().toLowerCase(Locale.ROOT));
        }
        ArrayNode messages = json.putArray("messages");
        for (Map<String, Object> message : shorter.messages()) {
            messages.addObject()
                    .put("role", String.valueOf(message.get("role")))
                    .put("content", String.valueOf(message.get("content")));
        }
        return json;
    }
}
