package dev.varve.platform.cli;

import dev.varve.platform.tokenizer.Detokenizer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;

/** Tokens and text of a generation so far. For one thread. */
final class GeneratedText {
    private final Detokenizer detokenizer;
    private final int vocabularySize;
    private final List<Integer> tokens = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();

    GeneratedText(Tokenizer tokenizer) {
        detokenizer = tokenizer.detokenizer();
        vocabularySize = tokenizer.vocabularySize();
    }

    /** Adds a token and returns the text that it completes. */
    String push(int id) {
        tokens.add(id);
        // A model may have more logits than its tokenizer has tokens; those have no text.
        return append(id < vocabularySize ? detokenizer.push(id) : "");
    }

    /** Returns the rest of the text that was held back. */
    String finish() {
        return append(detokenizer.finish());
    }

    private String append(String piece) {
        text.append(piece);
        return piece;
    }

    int[] tokens() {
        return tokens.stream().mapToInt(Integer::intValue).toArray();
    }

    String text() {
        return text.toString();
    }

    boolean isEmpty() {
        return text.isEmpty();
    }
}
