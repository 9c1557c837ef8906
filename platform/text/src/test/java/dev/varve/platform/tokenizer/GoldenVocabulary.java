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
 *
 * @param texts {@code .inp}: separated by a line with a marker
 * @param ids {@code .out}: a line of ids for each text
 */
record GoldenVocabulary(Tokenizer tokenizer, List<String> texts, List<int[]> ids) {
    private static final String MARKER = "\n__ggml_vocab_test__\n";

    /** Skips the test where the vocabularies are not there. */
    static GoldenVocabulary load(String name) {
        String shared = System.getProperty("varve.test.shared", "");
        Path file = Path.of(shared, "golden", "tokenizers", "ggml-vocab-" + name + ".gguf");
        assumeTrue(!shared.isEmpty() && Files.exists(file), "no golden vocabulary " + file);
        try {
            GgufFile gguf = GgufFile.open(file);
            List<String> texts =
                    List.of(Files.readString(Path.of(file + ".inp")).split(MARKER, -1));
            List<int[]> ids =
                    Files.readAllLines(Path.of(file + ".out")).stream()
                            .map(GoldenVocabulary::ids)
                            .toList();
            return new GoldenVocabulary(
                    Tokenizer.of(gguf.metadata()), texts.subList(0, ids.size()), ids);
        } catch (IOException e) {
            throw new AssertionError("golden vocabulary " + file, e);
        }
    }

    static int[] ids(String line) {
        return Arrays.stream(line.strip().split(" +"))
                .filter(id -> !id.isEmpty())
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
