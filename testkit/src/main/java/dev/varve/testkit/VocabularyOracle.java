package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The tokenizer of libllama v0.5.0 for the vocabulary of a file, which needs no weights.
 *
 * <p>Owns the vocabulary; {@link #close} frees it and may be called twice. For one thread at a
 * time.
 */
public final class VocabularyOracle implements AutoCloseable {
    private final MemorySegment model;
    private final MemorySegment vocabulary;
    private boolean closed;

    private VocabularyOracle(MemorySegment model) {
        this.model = model;
        vocabulary = LlamaApi.vocabulary(model);
    }

    /**
     * Loads a vocabulary.
     *
     * @throws IllegalArgumentException if libllama refuses the file; the message has its reason
     */
    public static VocabularyOracle open(Path file) {
        Oracle.load();
        NativeLog.drain();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment params = LlamaApi.modelDefaults(arena);
            LlamaLayouts.setBoolean(params, LlamaLayouts.MODEL_PARAMS, "vocab_only", true);
            MemorySegment path = arena.allocateFrom(file.toAbsolutePath().toString());
            MemorySegment model = LlamaApi.loadModel(path, params);
            if (model.equals(MemorySegment.NULL)) {
                throw new IllegalArgumentException(
                        file + ": refused by libllama: " + NativeLog.drain());
            }
            return new VocabularyOracle(model);
        }
    }

    /** Number of tokens. */
    public int size() {
        return LlamaApi.vocabularyTokens(vocabulary);
    }

    /**
     * Token ids of a text, without those that begin or end a sequence.
     *
     * @param parseSpecial whether the texts of control tokens become those tokens
     */
    public int[] tokenize(String text, boolean parseSpecial) {
        return tokenize(vocabulary, text, false, parseSpecial);
    }

    /** The bytes that a token stands for; of a control token, its name. */
    public byte[] piece(int token) {
        return piece(vocabulary, token);
    }

    /** Returns whether a token ends a response. */
    public boolean endsGeneration(int token) {
        return LlamaApi.endsGeneration(vocabulary, token);
    }

    /** Returns whether prompts begin with the bos token. */
    public boolean addsBos() {
        return LlamaApi.addsBos(vocabulary);
    }

    static int[] tokenize(
            MemorySegment vocabulary, String text, boolean addSpecial, boolean parseSpecial) {
        try (Arena arena = Arena.ofConfined()) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            MemorySegment bytes = arena.allocate(utf8.length).copyFrom(MemorySegment.ofArray(utf8));
            // A space before each text may become three byte tokens.
            MemorySegment tokens = arena.allocate(JAVA_INT, 4L * utf8.length + 8);
            int count = LlamaApi.tokenize(vocabulary, bytes, tokens, addSpecial, parseSpecial);
            if (count < 0) {
                throw new IllegalStateException(
                        "libllama needs " + -count + " tokens for " + utf8.length + " bytes");
            }
            return tokens.asSlice(0, (long) count * Integer.BYTES).toArray(JAVA_INT);
        }
    }

    static byte[] piece(MemorySegment vocabulary, int token) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(1024);
            int count = LlamaApi.piece(vocabulary, token, buffer);
            return buffer.asSlice(0, Math.max(0, count)).toArray(JAVA_BYTE);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            LlamaApi.freeModel(model);
        }
    }
}
