package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImageEncoderProvider;
import dev.varve.api.vision.ImageInput;
import dev.varve.api.vision.ImagePixels;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Contract of image encoders, tested with projector files that the extending class names. It cannot
 * check that the numbers are right: for that, compare rows with another implementation.
 */
@Timeout(120)
public abstract class ImageEncoderContract {
    @TempDir private Path folder;

    /** For extending classes. */
    protected ImageEncoderContract() {}

    /** Creates a new provider. */
    protected abstract ImageEncoderProvider provider();

    /**
     * Returns small projector files of its types.
     *
     * @param folder an empty folder of the test
     * @throws IOException if they cannot be written
     */
    protected abstract List<Path> projectors(Path folder) throws IOException;

    private List<GgufFile> files() throws IOException {
        List<GgufFile> files = projectors(folder).stream().map(GgufFile::open).toList();
        assertFalse(files.isEmpty(), "no projector to test with");
        return files;
    }

    @Test
    void constructorIsCheap() {
        ProviderRules.requireCheap(this::provider);
    }

    @Test
    void projectorTypesAreStable() {
        ImageEncoderProvider provider = provider();

        Set<String> types = Set.copyOf(provider.projectorTypes());

        assertFalse(types.isEmpty(), "no projector type");
        assertTrue(types.stream().noneMatch(String::isBlank), types.toString());
        assertEquals(types, provider.projectorTypes());
        assertEquals(types, provider().projectorTypes());
    }

    @Test
    void encoderDescribesItself() throws IOException {
        for (GgufFile file : files()) {
            ImageEncoder encoder = provider().open(file);
            String name = file.path().toString();

            assertFalse(encoder.architectures().isEmpty(), name + ": no architecture");
            assertTrue(encoder.width() > 0, name + ": width " + encoder.width());
            assertTrue(encoder.computeBytes(2) > 0, name + ": no memory for an image");
            assertTrue(
                    encoder.computeBytes(64) > encoder.computeBytes(2),
                    name + ": larger images need more memory");
            for (String mark :
                    List.of(
                            encoder.marks().placeholder(),
                            encoder.marks().begin(),
                            encoder.marks().end())) {
                assertFalse(mark.isBlank(), name + ": a mark without text");
            }
            assertEquals(encoder.input(), provider().open(file).input(), name);
            assertEquals(encoder.positions(), provider().open(file).positions(), name);
        }
    }

    @Test
    void selectedTensorsAreDistinctAndOfTheFile() throws IOException {
        for (GgufFile file : files()) {
            List<TensorSelection.Entry> entries = provider().open(file).tensors().entries();

            assertEquals(
                    entries.size(),
                    new HashSet<>(entries).size(),
                    file.path() + " selects a tensor twice for one use");
            for (TensorSelection.Entry entry : entries) {
                assertEquals(entry.tensor(), file.tensor(entry.tensor().name()).orElse(null));
            }
        }
    }

    /** A tensor that may be missing is not selected then. */
    @Test
    void missingTensorIsNamed() throws IOException {
        for (Path path : projectors(folder)) {
            RenamedEntry renamed = new RenamedEntry(path, folder);
            ImageEncoder whole = provider().open(GgufFile.open(path));
            for (TensorSelection.Entry entry : whole.tensors().entries()) {
                String name = entry.tensor().name();
                renamed.without(name, file -> requireNamed(GgufFile.open(file), name));
            }
        }
    }

    private boolean requireNamed(GgufFile file, String name) {
        try {
            List<TensorSelection.Entry> others = provider().open(file).tensors().entries();
            assertTrue(
                    others.stream().noneMatch(other -> other.tensor().name().equals(name)),
                    name + " is selected from a file without it");
            return false;
        } catch (VarveException e) {
            ProviderRules.requireLine(e);
            assertTrue(e.getMessage().contains(name), e.getMessage());
            return true;
        }
    }

    /** Needs ggml's libraries. */
    @Test
    void everyImageGetsItsRows() throws IOException {
        GgmlFolder.loadBase();
        for (GgufFile file : files()) {
            ImageEncoder encoder = provider().open(file);
            int[][] sizes = {{1, 1}, {3, 2}, {2, 5}, {16, 16}};
            for (int[] size : sizes) {
                RecordingImageGraph.check(
                        encoder, pixels(encoder.input(), size), file.path().toString());
            }
        }
    }

    private static ImagePixels pixels(ImageInput input, int[] tokens) {
        int width = tokens[0] * input.align();
        int height = tokens[1] * input.align();
        return new ImagePixels(width, height, new float[ImagePixels.CHANNELS * width * height]);
    }
}
