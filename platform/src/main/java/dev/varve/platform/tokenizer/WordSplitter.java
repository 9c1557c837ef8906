package dev.varve.platform.tokenizer;

/**
 * Cuts text into the words inside which symbols may merge. Every byte lands in exactly one word, in
 * order.
 */
interface WordSplitter {
    /** Receives the words of a text. */
    interface Words {
        /** One word, {@code text[from, to)}, never empty. */
        void word(byte[] text, int from, int to);
    }

    /** Splits {@code text[from, to)}, well-formed UTF-8, as if nothing stood before or after it. */
    void split(byte[] text, int from, int to, Words words);
}
