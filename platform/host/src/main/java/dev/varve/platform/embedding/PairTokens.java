package dev.varve.platform.embedding;

import dev.varve.api.gguf.GgufMetadata;
import dev.varve.platform.tokenizer.TextSpan;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes the tokens of a query and a document of which a model computes a score: by the prompt of a
 * model that generates text, otherwise with the tokens around and between two texts. Control tokens
 * spelled out in queries and documents stay text.
 */
public final class PairTokens {
    private static final String TEMPLATE_KEY = "tokenizer.chat_template.rerank";
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(query|document)}");

    /** The prompt of Qwen3-Reranker, for files without one. */
    private static final String USUAL_PROMPT =
            "<|im_start|>system\n"
                + "Judge whether the Document meets the requirements based on the Query and the"
                + " Instruct provided. Note that the answer can only be \"yes\" or"
                + " \"no\".<|im_end|>\n"
                + "<|im_start|>user\n"
                + "<Instruct>: Given a web search query, retrieve relevant passages that answer the"
                + " query\n"
                + "<Query>: {query}\n"
                + "<Document>: {document}<|im_end|>\n"
                + "<|im_start|>assistant\n"
                + "<think>\n\n"
                + "</think>\n\n";

    private final Tokenizer tokenizer;
    private final Optional<String> prompt;

    private PairTokens(Tokenizer tokenizer, Optional<String> prompt) {
        this.tokenizer = tokenizer;
        this.prompt = prompt;
    }

    /**
     * Makes one for a model.
     *
     * @param generates whether the architecture generates text, so that a prompt asks for a score
     */
    public static PairTokens of(Tokenizer tokenizer, GgufMetadata metadata, boolean generates) {
        Optional<String> own = metadata.findString(TEMPLATE_KEY);
        return new PairTokens(
                tokenizer, own.isPresent() || !generates ? own : Optional.of(USUAL_PROMPT));
    }

    /** Makes one for a model that reads two texts with the tokens around and between them. */
    public static PairTokens plain(Tokenizer tokenizer) {
        return new PairTokens(tokenizer, Optional.empty());
    }

    /** Whether a prompt asks for a score, which is a share from 0 to 1 then. */
    public boolean askByPrompt() {
        return prompt.isPresent();
    }

    /** Returns a score as a share from 0 to 1: that of a classifier through a sigmoid. */
    public double probability(float score) {
        return askByPrompt() ? score : 1 / (1 + Math.exp(-score));
    }

    /**
     * Returns the tokens.
     *
     * @throws dev.varve.platform.tokenizer.TooManyTokensException if there are more than the limit
     */
    public int[] of(String query, String document, TokenLimit limit) {
        return prompt.isPresent()
                ? tokenizer.encodeSpans(spans(prompt.get(), query, document), limit)
                : tokenizer
                        .frame()
                        .around(
                                tokenizer.encode(query, false, limit),
                                tokenizer.encode(document, false, limit));
    }

    private static List<TextSpan> spans(String prompt, String query, String document) {
        List<TextSpan> spans = new ArrayList<>();
        Matcher matcher = PLACEHOLDER.matcher(prompt);
        int at = 0;
        while (matcher.find()) {
            spans.add(new TextSpan(prompt.substring(at, matcher.start()), true));
            spans.add(new TextSpan(matcher.group(1).equals("query") ? query : document, false));
            at = matcher.end();
        }
        spans.add(new TextSpan(prompt.substring(at), true));
        return spans;
    }
}
