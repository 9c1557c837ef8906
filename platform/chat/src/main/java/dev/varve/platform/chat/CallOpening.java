package dev.varve.platform.chat;

import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Optional;

/** Finds the tokens that open a call in content. For one response and one thread. */
interface CallOpening {
    /**
     * Returns the text behind the mark, if the next token would open a call: a mark in plain text
     * may end within a token.
     */
    Optional<String> opens(int token);

    /** Consumes the next token, which is no part of a call. */
    void accept(int token);

    /** Calls open with a special token. */
    record BySpecial(int id) implements CallOpening {
        @Override
        public Optional<String> opens(int token) {
            return token == id ? Optional.of("") : Optional.empty();
        }

        @Override
        public void accept(int token) {
            // No state depends on it.
        }
    }

    /** Calls open with a mark in plain text. */
    record ByText(int id, TextMarkReader reader) implements CallOpening {
        @Override
        public Optional<String> opens(int token) {
            return reader.peek(token)
                    .filter(found -> found.id() == id)
                    .map(TextMarkReader.Completion::rest);
        }

        @Override
        public void accept(int token) {
            reader.read(token);
        }
    }

    /** A call is the whole response: its first character opens it. */
    final class ByBegin implements CallOpening {
        private final Tokenizer tokenizer;
        private final String begin;
        private boolean isOver;

        ByBegin(Tokenizer tokenizer, String begin) {
            this.tokenizer = tokenizer;
            this.begin = begin;
        }

        @Override
        public Optional<String> opens(int token) {
            return Optional.of(text(token)).filter(text -> !isOver && text.startsWith(begin));
        }

        @Override
        public void accept(int token) {
            isOver = isOver || !text(token).isEmpty();
        }

        private String text(int token) {
            return tokenizer.decode(new int[] {token}).stripLeading();
        }
    }
}
