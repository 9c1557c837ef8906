package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.ModelOptions;
import dev.varve.plugin.qwen35.Qwen35Family;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Optional;

/** Rows of a draft's head stand for tokens of the target. */
class DraftVocabularyTest {
    private static final Qwen35Model TARGET = Qwen35Model.tiny();
    private static final int VOCABULARY = TARGET.size().vocabulary();
    private static final int ROWS = 100;

    @TempDir Path folder;

    private DraftFile read(int ownRows) throws IOException {
        GgufWriter writer =
                DflashModel.tiny(new DflashModel.Target(TARGET.size().embedding(), VOCABULARY))
                        .with(new DflashModel.Weights(TensorType.F32, ownRows, false, 3))
                        .writer();
        Path path = folder.resolve("draft.gguf");
        writer.write(path);
        GgufFile target = GgufFile.open(TARGET.write(folder));
        return DraftFile.of(
                GgufFile.open(path),
                target,
                new Qwen35Family().open(target, ModelOptions.defaults()).shape());
    }

    /** Overwrites a token of the map. */
    private static void write(DraftFile file, int row, long token) throws IOException {
        try (RandomAccessFile bytes =
                new RandomAccessFile(file.tokens().orElseThrow().file().toFile(), "rw")) {
            bytes.seek(file.tokens().get().offset() + (long) row * Long.BYTES);
            bytes.writeLong(Long.reverseBytes(token));
        }
    }

    @Test
    void fullHeadHasTheTargetTokens() throws IOException {
        DraftVocabulary tokens = DraftVocabulary.of(read(0));

        assertEquals(Optional.empty(), tokens.targets());
        int[] rows = {5, 0, VOCABULARY - 1, 7};
        assertArrayEquals(rows, tokens.targets(rows, 4));
        assertArrayEquals(new int[] {5, 0}, tokens.targets(rows, 2));
    }

    @Test
    void smallerHeadIsMapped() throws IOException {
        DraftFile file = read(ROWS);
        write(file, 0, 31);
        write(file, 7, VOCABULARY - 1);
        write(file, ROWS - 1, 0);

        DraftVocabulary tokens = DraftVocabulary.of(file);

        int[] rows = {7, ROWS - 1, 0};
        assertArrayEquals(new int[] {VOCABULARY - 1, 0, 31}, tokens.targets(rows, 3));
        assertEquals(ROWS, tokens.targets().orElseThrow().length);
    }

    @Test
    void tokensEndBeforeAnInvalidRow() throws IOException {
        DraftVocabulary whole = DraftVocabulary.of(read(0));
        assertArrayEquals(new int[] {5}, whole.targets(new int[] {5, -1, 6}, 3));
        assertArrayEquals(new int[] {5}, whole.targets(new int[] {5, VOCABULARY, 6}, 3));

        DraftVocabulary smaller = DraftVocabulary.of(read(ROWS));
        assertEquals(1, smaller.targets(new int[] {5, ROWS, 6}, 3).length);
        assertEquals(0, smaller.targets(new int[] {-1, 5, 6}, 3).length);
    }

    @Test
    void mapToAnInvalidTokenIsRefused() throws IOException {
        for (long wrong : new long[] {-1, VOCABULARY, 1L << 32}) {
            DraftFile file = read(ROWS);
            write(file, 42, wrong);

            String message =
                    assertThrows(ModelFormatException.class, () -> DraftVocabulary.of(file))
                            .getMessage();

            assertTrue(message.contains("d2t"), message);
            assertTrue(message.contains("0 to " + (VOCABULARY - 1)), message);
            assertTrue(message.contains(wrong + " for token 42"), message);
        }
    }
}
