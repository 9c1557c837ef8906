package dev.varve.platform.grammar;

import dev.varve.platform.grammar.cfg.ParseState;
import dev.varve.platform.grammar.cfg.Recognizer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Finds text that a grammar forces, in the tokens that the tokenizer makes of it. If free text
 * follows, the model chooses the last token, because the tokenizer could merge it with the free
 * text.
 */
final class ForcedText {
    private static final int MOST_BYTES = 512;
    private static final int LEAST_BYTES = 2;
    private static final int[] NONE = {};

    private final Recognizer recognizer;
    private final Tokenizer tokenizer;

    ForcedText(Recognizer recognizer, Tokenizer tokenizer) {
        this.recognizer = recognizer;
        this.tokenizer = tokenizer;
    }

    int[] tokens(ParseState state) {
        ByteArrayOutputStream run = new ByteArrayOutputStream();
        ParseState at = state;
        while (run.size() < MOST_BYTES) {
            int value = recognizer.forced(at);
            if (value < 0) {
                break;
            }
            run.write(value);
            at = recognizer.next(at, value);
        }
        if (run.size() < LEAST_BYTES) {
            return NONE;
        }
        byte[] bytes = run.toByteArray();
        int[] tokens =
                text(bytes).map(text -> tokenizer.encodeContinuation(text, false)).orElse(NONE);
        if (!spells(tokens, bytes)) {
            return NONE;
        }
        return at.isFinal() ? tokens : Arrays.copyOf(tokens, tokens.length - 1);
    }

    private static Optional<String> text(byte[] bytes) {
        try {
            return Optional.of(
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns whether the tokens spell the text: a tokenizer may have no token for some of it, or
     * read a special token in it.
     */
    private boolean spells(int[] tokens, byte[] bytes) {
        int at = 0;
        for (int token : tokens) {
            byte[] piece = tokenizer.piece(token);
            if (tokenizer.isSpecial(token)
                    || !Arrays.equals(
                            piece,
                            0,
                            piece.length,
                            bytes,
                            at,
                            Math.min(bytes.length, at + piece.length))) {
                return false;
            }
            at += piece.length;
        }
        return tokens.length > 0 && at == bytes.length;
    }
}
