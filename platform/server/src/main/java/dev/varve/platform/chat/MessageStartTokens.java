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
 * The tokens with which a model's template begins messages. Before them a prompt may part from
 * another one: the system prompt ends there, a question is asked in another way, an answer is
 * rendered again without its thoughts. They are learned from a conversation of marked messages, so
 * that nobody need know the template. Where there are special tokens it is one of them, which text
 * of messages never becomes; elsewhere a text like the template's may pass for one, and is
 * harmless.
 *
 * @param marks sequences of ids, empty where a template has none
 */
record MessageStartTokens(List<List<Integer>> marks) {
    private static final MessageStartTokens NONE = new MessageStartTokens(List.of());

    /** Stands for a message's text in the conversation to learn from. */
    private static final String MARK = "varve-mark-";

    MessageStartTokens {
        marks = List.copyOf(marks);
    }

    /**
     * Learns from a template; from one that refuses the conversation nothing.
     *
     * @param trusted names of {@code variables} whose text may hold special tokens
     */
    static MessageStartTokens learn(
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
                    // What is wrong shows with a real conversation.
                    return NONE;
                }
                // Some know no system prompt.
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
     * What the template writes before each message's text, and behind the last one; nothing if the
     * texts are not there in their order.
     */
    private static List<Region> regions(RenderedPrompt prompt, Tokenizer tokenizer, int messages) {
        List<Region> regions = new ArrayList<>();
        List<TextSpan> region = new ArrayList<>();
        for (PromptSpan span : prompt.spans()) {
            String text = span.text();
            for (int at = text.indexOf(mark(regions)); at >= 0; at = text.indexOf(mark(regions))) {
                region.add(new TextSpan(text.substring(0, at), span.trusted()));
                text = text.substring(at + mark(regions).length());
                regions.add(Region.of(region, tokenizer));
                region.clear();
            }
            region.add(new TextSpan(text, span.trusted()));
        }
        regions.add(Region.of(region, tokenizer));
        return regions.size() == messages + 1 ? regions : List.of();
    }

    /**
     * What lies between two messages' texts.
     *
     * @param specials its special tokens
     * @param inner its tokens but the first and the last one, which may be others beside a text
     */
    private record Region(List<Integer> specials, List<Integer> inner) {
        static Region of(List<TextSpan> spans, Tokenizer tokenizer) {
            int[] ids = tokenizer.encodeSpans(spans);
            return new Region(
                    IntStream.of(ids)
                            .filter(tokenizer::isSpecial)
                            .filter(id -> id != tokenizer.bosId().orElse(-1))
                            .boxed()
                            .toList(),
                    IntStream.range(1, ids.length - 1).mapToObj(i -> ids[i]).toList());
        }

        /** The special token of an index, or of a lower one; all of a region without any. */
        List<Integer> mark(int index) {
            return specials.isEmpty()
                    ? inner
                    : List.of(specials.get(Math.min(index, specials.size() - 1)));
        }
    }

    private static String mark(List<Region> regions) {
        return MARK + regions.size() + "-";
    }

    /**
     * The first special token of each region, or the one behind the token that ends a message. The
     * way from an answer to a question tells whether there is such a token: thoughts add some of
     * their own only before answers.
     */
    private static MessageStartTokens of(List<Region> regions) {
        if (regions.isEmpty()) {
            return NONE;
        }
        int index = regions.get(regions.size() - 2).specials().size() > 1 ? 1 : 0;
        Set<List<Integer>> marks = new LinkedHashSet<>();
        marks.add(regions.getFirst().mark(0));
        for (Region region : regions.subList(1, regions.size())) {
            marks.add(region.mark(index));
        }
        marks.remove(List.of());
        return new MessageStartTokens(List.copyOf(marks));
    }

    boolean isEmpty() {
        return marks.isEmpty();
    }

    /** Where a prompt's messages begin, but for one at its very beginning. */
    int[] positions(int[] prompt) {
        return all(prompt).filter(position -> position > 0).toArray();
    }

    /** Whether a message begins among some tokens. */
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
