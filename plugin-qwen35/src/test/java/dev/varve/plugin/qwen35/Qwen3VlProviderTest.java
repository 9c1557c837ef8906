package dev.varve.plugin.qwen35;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImagePixels;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen3VlProjector;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

class Qwen3VlProviderTest {
    @TempDir private Path folder;

    private ImageEncoder open(UnaryOperator<GgufWriter> change) throws IOException {
        Path file = folder.resolve("mmproj.gguf");
        change.apply(Qwen3VlProjector.tiny(64).writer()).write(file);
        return new Qwen3VlProvider().open(GgufFile.open(file));
    }

    private void assertRefused(String part, String key, GgufValue value) {
        VarveException thrown =
                assertThrows(VarveException.class, () -> open(writer -> writer.put(key, value)));
        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
    }

    @Test
    void sizesAreThoseOfTheFile() throws IOException {
        ImageEncoder encoder = open(UnaryOperator.identity());

        assertEquals(64, encoder.width());
        assertEquals(32, encoder.input().align());
        assertEquals(8, encoder.input().minTokens());
        assertEquals(4096, encoder.input().maxTokens());
        assertEquals(0.5f, encoder.input().mean().green());
    }

    @Test
    void pixelsOfTheFileNarrowTheLimitsOfTokens() throws IOException {
        ImageEncoder narrow =
                open(
                        writer ->
                                writer.put("clip.vision.image_min_pixels", GgufValue.of(12 * 1024))
                                        .put(
                                                "clip.vision.image_max_pixels",
                                                GgufValue.of(17 * 1024 - 1)));
        ImageEncoder wide =
                open(
                        writer ->
                                writer.put("clip.vision.image_min_pixels", GgufValue.of(1))
                                        .put(
                                                "clip.vision.image_max_pixels",
                                                GgufValue.of(Integer.MAX_VALUE)));

        assertEquals(12, narrow.input().minTokens());
        assertEquals(16, narrow.input().maxTokens());
        assertEquals(8, wide.input().minTokens());
        assertEquals(4096, wide.input().maxTokens());
    }

    @Test
    void unknownFeaturesAreRefused() {
        assertRefused("merged by 3", "clip.vision.spatial_merge_size", GgufValue.of(3));
        assertRefused("clip.use_gelu", "clip.use_gelu", GgufValue.of(false));
        assertRefused("clip.use_gelu", "clip.use_silu", GgufValue.of(true));
        assertRefused("head_count", "clip.vision.attention.head_count", GgufValue.of(5));
        assertRefused(
                "its rows have 128 elements, and the models of this family read 64",
                "clip.vision.is_deepstack_layers",
                GgufValue.booleans(List.of(false, true)));
    }

    @Test
    void positionTableIsASquare() {
        VarveException thrown =
                assertThrows(
                        VarveException.class,
                        () -> open(writer -> writer.lengthen("v.position_embd.weight")));

        assertTrue(thrown.getMessage().contains("v.position_embd.weight"), thrown.getMessage());
    }

    /** Numbers of the patches of a grid in raster order. */
    @Test
    void patchesOfAMergedSquareFollowOneAnother() {
        PatchGrid grid = new PatchGrid(4, 2);
        int[] raster = new int[8];
        for (int patch = 0; patch < 8; patch++) {
            raster[patch] = 4 * grid.row(patch) + grid.column(patch);
        }

        assertArrayEquals(new int[] {0, 1, 4, 5, 2, 3, 6, 7}, raster);
        assertArrayEquals(new int[] {0, 0, 1, 1, 0, 0, 1, 1}, Arrays.copyOf(grid.positions(), 8));
    }

    @Test
    void patchHasItsChannelsOneAfterTheOther() {
        float[] values = new float[3 * 4 * 4];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }

        float[] patches = new PatchGrid(2, 2).values(new ImagePixels(4, 4, values), 2);

        // The second patch: columns 2 and 3 of the rows 0 and 1.
        float[] second = Arrays.copyOfRange(patches, 12, 24);
        assertArrayEquals(new float[] {2, 3, 6, 7, 18, 19, 22, 23, 34, 35, 38, 39}, second);
    }
}
