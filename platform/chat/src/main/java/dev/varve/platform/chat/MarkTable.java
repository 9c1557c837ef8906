package dev.varve.platform.chat;

import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Ids of a dialect's marks. A mark that is a special token has its id. Where a dialect permits it,
 * another mark is plain text and gets an id above the vocabulary.
 */
final class MarkTable {
    /** Id of a mark that a dialect does not have. */
    static final int NONE = -1;

    private final Tokenizer tokenizer;
    private final boolean allowsText;
    private final List<String> texts = new ArrayList<>();

    /**
     * @param allowsText whether marks may be plain text
     */
    MarkTable(Tokenizer tokenizer, boolean allowsText) {
        this.tokenizer = tokenizer;
        this.allowsText = allowsText;
    }

    Tokenizer tokenizer() {
        return tokenizer;
    }

    /** Returns the id of a mark; empty if it is no special token and must be one. */
    OptionalInt id(String mark) {
        if (mark.isEmpty()) {
            return OptionalInt.of(NONE);
        }
        OptionalInt special = special(tokenizer, mark);
        if (special.isPresent() || !allowsText) {
            return special;
        }
        if (!texts.contains(mark)) {
            texts.add(mark);
        }
        return OptionalInt.of(tokenizer.vocabularySize() + texts.indexOf(mark));
    }

    /** Returns the special token with a spelling. */
    static OptionalInt special(Tokenizer tokenizer, String text) {
        OptionalInt id = tokenizer.tokenId(text);
        return id.isPresent() && tokenizer.isSpecial(id.getAsInt()) ? id : OptionalInt.empty();
    }

    /** Whether an id is that of a mark in plain text. */
    boolean isText(int id) {
        return id >= tokenizer.vocabularySize();
    }

    /** Returns the spelling of a mark or special token. */
    String spelling(int id) {
        return isText(id)
                ? texts.get(id - tokenizer.vocabularySize())
                : tokenizer.decode(new int[] {id}, true);
    }

    /** Returns a new reader of the marks in plain text; empty if there are none. */
    Optional<TextMarkReader> reader() {
        return texts.isEmpty()
                ? Optional.empty()
                : Optional.of(new TextMarkReader(tokenizer, texts));
    }
}
