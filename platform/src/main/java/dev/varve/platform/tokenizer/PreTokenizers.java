package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;

import java.util.Map;
import java.util.TreeMap;

/**
 * Word splitters of byte-level BPE by their name in {@code tokenizer.ggml.pre}. A new one is one
 * entry here.
 */
final class PreTokenizers {
    private static final WordSplitter QWEN2 = new LetterRunSplitter(false);

    private static final Map<String, WordSplitter> BY_NAME =
            new TreeMap<>(
                    Map.of(
                            "qwen2",
                            QWEN2,
                            "qwen35",
                            new LetterRunSplitter(true),
                            "laguna",
                            (text, from, to, words) ->
                                    new LineSplitter()
                                            .split(
                                                    text,
                                                    from,
                                                    to,
                                                    (line, begin, end) ->
                                                            QWEN2.split(line, begin, end, words))));

    private PreTokenizers() {}

    /**
     * Refuses names that are not known: splitting words in another way would quietly make the model
     * worse.
     */
    static WordSplitter named(String name) {
        WordSplitter splitter = BY_NAME.get(name);
        if (splitter == null) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    "tokenizer.ggml.pre: expected one of "
                            + BY_NAME.keySet()
                            + ", found "
                            + (name.isEmpty() ? "none" : "\"" + name + "\""));
        }
        return splitter;
    }
}
