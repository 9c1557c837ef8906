package dev.varve.platform.chat;

import dev.varve.api.VarveException;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.template.PromptSpan;
import dev.varve.platform.template.RenderedPrompt;
import dev.varve.platform.tokenizer.TextSpan;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Renders conversations with a chat template. Text of the template may contain special tokens; text
 * of the messages never does, even if it looks like one. Thread-safe.
 */
public final class ChatRenderer {
    private static final String GENERATION_PROMPT = "add_generation_prompt";
    private static final Set<String> TRUSTED = Set.of("bos_token", "eos_token");

    private static final String END_OF_RESPONSE = "<|return|>";
    private static final String END_OF_MESSAGE = "<|end|>";
    private static final String BEGIN_OF_CONTENT = "<|channel|>final<|message|>";

    private static final String TOOL_PROBE = "varve_probe_of_tools";

    private final ChatTemplate template;
    private final TemplateDialect dialect;
    private final Tokenizer tokenizer;
    private final MessageStartTokens marks;

    /** Creates a renderer for a model's own template and vocabulary. */
    public ChatRenderer(ChatTemplate template, Tokenizer tokenizer) {
        this.template = template;
        dialect = TemplateDialect.of(template.source());
        this.tokenizer = tokenizer;
        marks = MessageStartTokens.derive(template, tokenizer, withOwn(Map.of()), TRUSTED);
    }

    /** Returns the dialect that the template's source shows. */
    public TemplateDialect dialect() {
        return dialect;
    }

    /**
     * Renders a conversation up to the start of the response.
     *
     * @param variables variables of the template; {@code bos_token} and {@code eos_token} are
     *     added, and {@code add_generation_prompt} where it is missing
     * @throws VarveException of kind INVALID_REQUEST with the template's message if it rejects the
     *     conversation
     */
    public ChatPrompt render(Map<String, Object> variables) {
        return render(variables, TokenLimit.NONE);
    }

    /** Renders a tool and returns whether its name is in the prompt. */
    public boolean rendersTools() {
        Map<String, Object> function =
                Map.of(
                        "name",
                        TOOL_PROBE,
                        "description",
                        "",
                        "parameters",
                        Map.of("type", "object", "properties", Map.of()));
        try {
            return render(
                            Map.of(
                                    "messages",
                                    List.of(Map.of("role", "user", "content", "")),
                                    "tools",
                                    List.of(Map.of("type", "function", "function", function))))
                    .text()
                    .contains(TOOL_PROBE);
        } catch (VarveException e) {
            // A template that refuses this conversation may still support tools.
            return true;
        }
    }

    /** Renders the text of such a prompt, with the origin of each part. */
    public RenderedPrompt text(Map<String, Object> variables) {
        return rendered(withOwn(variables));
    }

    /**
     * Renders as {@link #render(Map)}, and stops when the prompt exceeds a limit.
     *
     * @throws dev.varve.platform.tokenizer.TooManyTokensException if it exceeds the limit
     */
    public ChatPrompt render(Map<String, Object> variables, TokenLimit limit) {
        return render(variables, "", limit);
    }

    /**
     * Renders with a limit, and with the beginning of the response.
     *
     * @param assistantPrefix text that the model continues; empty for none
     */
    public ChatPrompt render(
            Map<String, Object> variables, String assistantPrefix, TokenLimit limit) {
        Map<String, Object> all = withOwn(variables);
        RenderedPrompt turns = rendered(all);
        RenderedPrompt prompt = withAssistantPrefix(turns, assistantPrefix);
        int[] tokens = encode(prompt, limit);
        int[] boundaries =
                marks.isEmpty()
                        ? beforeGeneration(all, tokens, limit)
                        : messageBoundaries(turns, tokens, limit);
        return new ChatPrompt(tokens, boundaries, prompt.text());
    }

    /**
     * Returns the starts of messages; and the end, if the response begins no message but continues
     * one, such as behind the result of a tool.
     */
    private int[] messageBoundaries(RenderedPrompt prompt, int[] tokens, TokenLimit limit) {
        int[] begins = marks.positions(tokens);
        List<PromptSpan> spans = prompt.spans();
        boolean beginsMessage =
                !spans.isEmpty()
                        && spans.getLast().trusted()
                        && marks.areIn(encode(new RenderedPrompt(List.of(spans.getLast())), limit));
        return beginsMessage
                ? begins
                : IntStream.concat(IntStream.of(begins), IntStream.of(tokens.length))
                        .filter(position -> position > 0)
                        .distinct()
                        .toArray();
    }

    private RenderedPrompt rendered(Map<String, Object> variables) {
        RenderedPrompt prompt = template.render(dialect.adapted(variables), TRUSTED);
        return dialect.hasChannels() ? withoutEndOfResponse(prompt) : prompt;
    }

    /** A response that ended is a message like others once it is part of a prompt. */
    private static RenderedPrompt withoutEndOfResponse(RenderedPrompt prompt) {
        List<PromptSpan> spans = new ArrayList<>(prompt.spans());
        if (spans.isEmpty() || !spans.getLast().trusted()) {
            return prompt;
        }
        String text = spans.removeLast().text();
        int end = text.length() - END_OF_RESPONSE.length();
        boolean isEnd = text.endsWith(END_OF_RESPONSE);
        spans.add(PromptSpan.ofTemplate(isEnd ? text.substring(0, end) + END_OF_MESSAGE : text));
        return new RenderedPrompt(spans);
    }

    private RenderedPrompt withAssistantPrefix(RenderedPrompt prompt, String assistantPrefix) {
        if (assistantPrefix.isEmpty()) {
            return prompt;
        }
        List<PromptSpan> spans = new ArrayList<>(prompt.spans());
        if (dialect.hasChannels()) {
            spans.add(PromptSpan.ofTemplate(BEGIN_OF_CONTENT));
        }
        spans.add(PromptSpan.ofInput(assistantPrefix));
        return new RenderedPrompt(spans);
    }

    private Map<String, Object> withOwn(Map<String, Object> variables) {
        Map<String, Object> all = new HashMap<>(variables);
        all.put("bos_token", special(tokenizer.bosId()));
        all.put("eos_token", special(tokenizer.eosId()));
        all.putIfAbsent(GENERATION_PROMPT, true);
        return all;
    }

    /**
     * Returns the start of the response for a template without message start tokens; the next turn
     * may render it differently.
     */
    private int[] beforeGeneration(Map<String, Object> variables, int[] tokens, TokenLimit limit) {
        variables.put(GENERATION_PROMPT, false);
        try {
            int mismatch = Arrays.mismatch(tokens, encode(rendered(variables), limit));
            return IntStream.of(mismatch < 0 ? tokens.length : mismatch)
                    .filter(position -> position > 0)
                    .toArray();
        } catch (VarveException e) {
            // Some templates require a generation prompt.
            return new int[0];
        }
    }

    private int[] encode(RenderedPrompt prompt, TokenLimit limit) {
        List<TextSpan> spans = new ArrayList<>();
        for (PromptSpan span : prompt.spans()) {
            spans.add(new TextSpan(span.text(), span.trusted()));
        }
        int[] tokens = tokenizer.encodeSpans(spans, limit);
        boolean missesBos =
                tokenizer.addsBos()
                        && tokenizer.bosId().isPresent()
                        && (tokens.length == 0 || tokens[0] != tokenizer.bosId().getAsInt());
        if (!missesBos) {
            return tokens;
        }
        int[] longer = new int[tokens.length + 1];
        longer[0] = tokenizer.bosId().getAsInt();
        System.arraycopy(tokens, 0, longer, 1, tokens.length);
        return longer;
    }

    private String special(java.util.OptionalInt id) {
        return id.isPresent() ? tokenizer.decode(new int[] {id.getAsInt()}, true) : "";
    }
}
