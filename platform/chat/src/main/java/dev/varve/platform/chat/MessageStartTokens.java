package dev.varve.platform.chat;

import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.template.PromptSpan;
import dev.varve.platform.template.RenderedPrompt;
import dev.varve.platform.template.TemplateException;
import dev.varve.platform.tokenizer.TextSpan;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Message start tokens of a model's template. At these positions two prompts may diverge: the
 * system prompt ends, a question differs, or a response is rendered again without its reasoning.
 * They are derived from a rendered conversation with marked messages, so that no knowledge of the
 * template is needed. If the template has special tokens, the mark is one of them, which text of
 * messages never produces; otherwise a text like the template's may match, which is harmless.
 *
 * @param marks sequences of ids, empty if a template has none
 */
record MessageStartTokens(List<List<Integer>> marks) {
    private static final MessageStartTokens NONE = new MessageStartTokens(List.of());

    /** Prefix of the marked messages' texts. */
    private static final String MARK = "varve-mark-";

    MessageStartTokens {
        marks = List.copyOf(marks);
    }

    /**
     * Derives the tokens from a template; returns none if it rejects the conversation.
     *
     * @param trusted names of {@code variables} whose text may contain special tokens
     */
    static MessageStartTokens derive(
            ChatTemplate template,
            Tokenizer tokenizer,
            Map<String, Object> variables,
            Set<String> trusted) {
        for (List<String> roles :
                List.of(
                        List.of("system", "user", "assistant", "user"),
                        List.of("user", "assistant", "user"))) {
            Map<String, Object> all = new HashMap<>(variables);
            all.put("messages", messages(roles));
            try {
                MessageStartTokens learned =
                        of(regions(template.render(all, trusted), tokenizer, roles.size()));
                if (!learned.isEmpty()) {
                    return learned;
                }
            } catch (TemplateException e) {
                if (!e.raisedByTemplate()) {
                    // A real conversation will report the error.
                    return NONE;
                }
                // Some templates support no system prompt.
            }
        }
        return NONE;
    }

    private static List<Map<String, Object>> messages(List<String> roles) {
        return IntStream.range(0, roles.size())
                .<Map<String, Object>>mapToObj(
                        i -> Map.of("role", roles.get(i), "content", MARK + i + "-"))
                .toList();
    }

    /**
     * Returns the template's text before each message's text, and behind the last one; empty if the
     * texts do not occur in their order.
     */
    private static List<MessageSeparator> regions(
            RenderedPrompt prompt, Tokenizer tokenizer, int messages) {
        List<MessageSeparator> regions = new ArrayList<>();
        List<TextSpan> region = new ArrayList<>();
        for (PromptSpan span : prompt.spans()) {
            String text = span.text();
            for (int at = text.indexOf(mark(regions)); at >= 0; at = text.indexOf(mark(regions))) {
                region.add(new TextSpan(text.substring(0, at), span.trusted()));
                text = text.substring(at + mark(regions).length());
                regions.add(MessageSeparator.of(region, tokenizer));
                region.clear();
            }
            region.add(new TextSpan(text, span.trusted()));
        }
        regions.add(MessageSeparator.of(region, tokenizer));
        return regions.size() == messages + 1 ? regions : List.of();
    }

    /**
     * Template text between two messages' texts.
     *
     * @param specials special tokens of the text
     * @param inner its tokens without the first and the last one, which may be tokenised
     *     differently beside a text
     */
    private record MessageSeparator(List<Integer> specials, List<Integer> inner) {
        static MessageSeparator of(List<TextSpan> spans, Tokenizer tokenizer) {
            int[] ids = tokenizer.encodeSpans(spans);
            return new MessageSeparator(
                    IntStream.of(ids)
                            .filter(tokenizer::isSpecial)
                            .filter(id -> id != tokenizer.bosId().orElse(-1))
                            .boxed()
                            .toList(),
                    IntStream.range(1, ids.length - 1).mapToObj(i -> ids[i]).toList());
        }

        /**
         * Returns the special token at an index, or the last one if there are fewer; all inner
         * tokens if there is none.
         */
        List<Integer> mark(int index) {
            return specials.isEmpty()
                    ? inner
                    : List.of(specials.get(Math.min(index, specials.size() - 1)));
        }
    }

    private static String mark(List<MessageSeparator> regions) {
        return MARK + regions.size() + "-";
    }

    /**
     * Picks the first special token of each region, or the second one if the first one ends the
     * previous message. The region from a response to the next question decides between the two:
     * reasoning adds special tokens only before responses.
     */
    private static MessageStartTokens of(List<MessageSeparator> regions) {
        if (regions.isEmpty()) {
            return NONE;
        }
        int index = regions.get(regions.size() - 2).specials().size() > 1 ? 1 : 0;
        Set<List<Integer>> marks = new LinkedHashSet<>();
        marks.add(regions.getFirst().mark(0));
        for (MessageSeparator region : regions.subList(1, regions.size())) {
            marks.add(region.mark(index));
        }
        marks.remove(List.of());
        return new MessageStartTokens(List.copyOf(marks));
    }

    boolean isEmpty() {
        return marks.isEmpty();
    }

    /** Returns the starts of a prompt's messages, except position 0. */
    int[] positions(int[] prompt) {
        return all(prompt).filter(position -> position > 0).toArray();
    }

    /** Whether any of the given tokens begins a message. */
    boolean areIn(int[] tokens) {
        return all(tokens).findAny().isPresent();
    }

    private IntStream all(int[] tokens) {
        return IntStream.range(0, tokens.length)
                .filter(position -> marks.stream().anyMatch(mark -> isAt(tokens, position, mark)));
    }

    private static boolean isAt(int[] prompt, int position, List<Integer> mark) {
        if (position + mark.size() > prompt.length) {
            return false;
        }
        for (int i = 0; i < mark.size(); i++) {
            if (prompt[position + i] != mark.get(i)) {
                return false;
            }
        }
        return true;
    }
}
