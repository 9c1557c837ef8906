package dev.varve.platform.tokenizer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Normalises text for SentencePiece's unigram vocabularies; spaces become U+2581. */
final class UnigramText {
    private static final byte[] MARK = "\u2581".getBytes(StandardCharsets.UTF_8);

    private final CharsMap replacements;
    private final boolean mergesSpaces;
    private final boolean addsSpacePrefix;

    UnigramText(NormalizerRules rules, boolean addsSpacePrefix) {
        replacements = new CharsMap(rules.charsMap());
        mergesSpaces = rules.mergesSpaces();
        this.addsSpacePrefix = addsSpacePrefix;
    }

    /** Returns {@code text[from, to)} in normal form. */
    byte[] normalize(byte[] text, int from, int to) {
        Output output = new Output(to - from);
        for (int at = from; at < to; ) {
            CharsMap.Replaced next = replacements.at(text, at, to);
            for (int i = next.from(); i < next.to(); i++) {
                output.add(next.source()[i]);
            }
            at += next.length();
        }
        return output.bytes.toByteArray();
    }

    private final class Output {
        private final ByteArrayOutputStream bytes;
        private boolean withinWord;
        private boolean prefixed;

        Output(int length) {
            bytes = new ByteArrayOutputStream(length + MARK.length);
        }

        void add(byte value) {
            if (value == ' ') {
                withinWord = false;
                if (!mergesSpaces) {
                    bytes.writeBytes(MARK);
                }
                return;
            }
            if (!withinWord && (mergesSpaces || addsSpacePrefix && !prefixed)) {
                bytes.writeBytes(MARK);
                prefixed = true;
            }
            withinWord = true;
            bytes.write(value);
        }
    }
}
