package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;
import dev.varve.api.model.PreTokenizer;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Pre-tokenizers of byte-level BPE by their name in {@code tokenizer.ggml.pre}: those of the
 * model's family, and the platform's. A new one of the platform is one entry here.
 */
final class PreTokenizers {
    private static final PreTokenizer QWEN2 = new LetterRunSplitter(false);

    private static final Map<String, PreTokenizer> OWN =
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
                                                    (begin, end) ->
                                                            QWEN2.split(text, begin, end, words))));

    /** Only those of the platform. */
    static final PreTokenizers PLATFORM = new PreTokenizers(Map.of());

    private final Map<String, PreTokenizer> ofFamily;

    private PreTokenizers(Map<String, PreTokenizer> ofFamily) {
        this.ofFamily = ofFamily;
    }

    /** Returns the platform's plus those of a family, which take precedence. */
    static PreTokenizers with(Map<String, PreTokenizer> ofFamily) {
        return new PreTokenizers(Map.copyOf(ofFamily));
    }

    /** Rejects unknown names: another split of words would silently degrade the model. */
    PreTokenizer named(String name) {
        PreTokenizer brought = ofFamily.get(name);
        return brought == null ? own(name) : new CheckedPreTokenizer(name, brought);
    }

    private PreTokenizer own(String name) {
        return Optional.ofNullable(OWN.get(name))
                .orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.UNSUPPORTED_MODEL,
                                        "tokenizer.ggml.pre: expected one of "
                                                + names()
                                                + ", found "
                                                + (name.isEmpty() ? "none" : "\"" + name + "\"")));
    }

    private TreeSet<String> names() {
        TreeSet<String> names = new TreeSet<>(OWN.keySet());
        names.addAll(ofFamily.keySet());
        return names;
    }
}
