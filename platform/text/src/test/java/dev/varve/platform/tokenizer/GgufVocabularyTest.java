package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/** SentencePiece vocabularies in files that hold nothing else. */
class GgufVocabularyTest {
    private static final int I32 = 5;
    private static final int F32 = 6;
    private static final int U32 = 4;
    private static final int BOOL = 7;
    private static final int STRING = 8;
    private static final int ARRAY = 9;

    @TempDir Path folder;

    @Test
    void scoresMayBeIntegers() throws IOException {
        VocabularyData read =
                read(
                        new File()
                                .model()
                                .array("tokenizer.ggml.scores", I32, -1, 0, 7, Integer.MIN_VALUE));

        assertArrayEquals(new float[] {-1, 0, 7, Integer.MIN_VALUE}, read.scores());
    }

    @Test
    void scoresAreUsuallyFloats() throws IOException {
        assertArrayEquals(new float[] {-1.5f, 0, 0, 2}, read(scored()).scores());
    }

    @Test
    void idsOfAFileWithoutKeysAreThoseOfSentencePiece() throws IOException {
        NamedIds ids = read(scored()).ids();

        assertEquals(OptionalInt.of(1), ids.bos());
        assertEquals(OptionalInt.of(2), ids.eos());
    }

    @Test
    void keysOfTheFileTakePrecedence() throws IOException {
        VocabularyData read =
                read(
                        scored().number("tokenizer.ggml.bos_token_id", U32, 3)
                                .number("tokenizer.ggml.eos_token_id", U32, 0)
                                .truth("tokenizer.ggml.add_bos_token", false)
                                .truth("tokenizer.ggml.add_space_prefix", false));

        assertEquals(OptionalInt.of(3), read.ids().bos());
        assertEquals(OptionalInt.of(0), read.ids().eos());
        assertEquals(new TextRules(Optional.of(false), false, false), read.rules());
    }

    @Test
    void textBeginsWithASpaceUnlessTheFileForbidsIt() throws IOException {
        assertEquals(TextRules.DEFAULT, read(scored()).rules());
    }

    @ParameterizedTest
    @CsvSource({
        "Phi3, true",
        "Phi-3 mini, true",
        "my-phi-3.5, true",
        "Phi 2, false",
        "PHI-4, false",
        "llama, false"
    })
    void nameOfPhiMakesSpecialTokensSwallowSpace(String name, boolean swallows) throws IOException {
        assertEquals(swallows, read(scored().text("general.name", name)).rules().swallowsSpace());
    }

    @Test
    void missingScoresAreRefused() {
        VarveException refused = assertThrows(VarveException.class, () -> read(new File().model()));

        assertTrue(refused.getMessage().contains("tokenizer.ggml.scores"), refused.getMessage());
    }

    @Test
    void fileWithoutMergesIsATokenizer() throws IOException {
        Tokenizer tokenizer = Tokenizer.of(read(scored()));

        assertTrue(tokenizer.addsBos());
        assertFalse(tokenizer.encode("a", false).length == 0);
    }

    private static File scored() {
        return new File()
                .model()
                .array(
                        "tokenizer.ggml.scores",
                        F32,
                        Float.floatToIntBits(-1.5f),
                        0,
                        0,
                        Float.floatToIntBits(2));
    }

    private VocabularyData read(File file) throws IOException {
        Path path = folder.resolve("model.gguf");
        Files.write(path, file.bytes());
        return GgufVocabulary.read(GgufFile.open(path).metadata());
    }

    /** Writes metadata in the format of GGUF, version 3. */
    private static final class File {
        private final ByteArrayOutputStream values = new ByteArrayOutputStream();
        private int count;

        /** The algorithm, and four tokens. */
        File model() {
            text("general.architecture", "llama");
            text("tokenizer.ggml.model", "llama");
            key("tokenizer.ggml.tokens", ARRAY);
            put(4, STRING);
            put(8, 4);
            for (String token : new String[] {"a", "b", "▁", "ab"}) {
                string(token);
            }
            return this;
        }

        File text(String key, String value) {
            key(key, STRING);
            string(value);
            return this;
        }

        File number(String key, int type, int value) {
            key(key, type);
            put(4, value);
            return this;
        }

        File truth(String key, boolean value) {
            key(key, BOOL);
            put(1, value ? 1 : 0);
            return this;
        }

        File array(String key, int type, int... bits) {
            key(key, ARRAY);
            put(4, type);
            put(8, bits.length);
            for (int value : bits) {
                put(4, value);
            }
            return this;
        }

        byte[] bytes() {
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            file.writeBytes("GGUF".getBytes(StandardCharsets.US_ASCII));
            file.writeBytes(number(4, 3));
            file.writeBytes(number(8, 0));
            file.writeBytes(number(8, count));
            file.writeBytes(values.toByteArray());
            return file.toByteArray();
        }

        private void key(String key, int type) {
            count++;
            string(key);
            put(4, type);
        }

        private void string(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            put(8, bytes.length);
            values.writeBytes(bytes);
        }

        private void put(int width, int value) {
            values.writeBytes(number(width, value));
        }

        private static byte[] number(int width, int value) {
            byte[] bytes = new byte[8];
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(value);
            return Arrays.copyOf(bytes, width);
        }
    }
}
