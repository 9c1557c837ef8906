package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.gguf.GgufFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A published vocabulary with a suite of texts and the ids that the reference makes of them,
 * without special parsing.
 */
record GoldenVocabulary(String name, Tokenizer tokenizer, Suite suite) {
    private static final String MARKER = "\n__ggml_vocab_test__\n";

    /**
     * Texts and their ids.
     *
     * @param texts {@code .inp}: separated by a line with a marker
     * @param ids {@code .out}: a line of ids for each text
     */
    record Suite(List<String> texts, List<int[]> ids) {}

    List<String> texts() {
        return suite.texts();
    }

    List<int[]> ids() {
        return suite.ids();
    }

    @Override
    public String toString() {
        return name;
    }

    /** Skips the test where the vocabularies are not there. */
    static GoldenVocabulary load(String name) {
        return new GoldenVocabulary(
                name,
                Tokenizer.of(GgufFile.open(file("ggml-vocab-" + name + ".gguf")).metadata()),
                suite("ggml-vocab-" + name + ".gguf"));
    }

    /** Skips the test where the vocabulary is not there. */
    static VocabularyData data(String name) {
        return GgufVocabulary.read(GgufFile.open(file("ggml-vocab-" + name + ".gguf")).metadata());
    }

    /** Skips the test where the suite is not there. */
    static Suite suite(String name) {
        Path texts = file(name + ".inp");
        try {
            List<int[]> ids =
                    Files.readAllLines(file(name + ".out")).stream()
                            .map(GoldenVocabulary::ids)
                            .toList();
            return new Suite(
                    List.of(Files.readString(texts).split(MARKER, -1)).subList(0, ids.size()), ids);
        } catch (IOException e) {
            throw new AssertionError("golden suite " + texts, e);
        }
    }

    /** Skips the test where the file is not there. */
    static Path file(String name) {
        String shared = System.getProperty("varve.test.shared", "");
        Path file = Path.of(shared, "golden", "tokenizers", name);
        assumeTrue(!shared.isEmpty() && Files.exists(file), "no golden file " + file);
        return file;
    }

    static int[] ids(String line) {
        return Arrays.stream(line.strip().split(" +"))
                .filter(id -> !id.isEmpty())
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
