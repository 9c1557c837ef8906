package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImagePositions;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class SequenceImagesTest {
    private static ImageSpan grid(int begin, int columns, int rows) {
        return new ImageSpan(begin, columns, rows, ImagePositions.GRID);
    }

    private static SequenceImages images(ImageSpan... spans) {
        List<ImageRows> rows = new ArrayList<>();
        for (ImageSpan span : spans) {
            rows.add(ImageRows.all(new float[span.tokens()]));
        }
        return new SequenceImages(List.of(spans), rows);
    }

    private static String at(SequenceImages images, int index) {
        return images.time(index) + " " + images.height(index) + " " + images.width(index);
    }

    @Test
    void textBeforeAnImageHasItsIndexAsPosition() {
        assertEquals("11 11 11", at(images(grid(12, 10, 7)), 11));
        assertEquals("5 5 5", at(SequenceImages.NONE, 5));
    }

    private static ImageSpan together(int begin, int columns, int rows) {
        return new ImageSpan(
                begin, columns, rows, ImagePositions.LINE, ImageAttention.BIDIRECTIONAL_IN_WINDOWS);
    }

    @Test
    void tokensOfSomeImagesAttendToTheWholeImage() {
        SequenceImages images = images(grid(2, 2, 2), together(10, 4, 3));

        assertEquals(4, images.visibleEnd(3), "a causal image");
        assertEquals(10, images.visibleEnd(9));
        assertEquals(22, images.visibleEnd(10));
        assertEquals(22, images.visibleEnd(21));
        assertEquals(23, images.visibleEnd(22));
        assertEquals(12, images.indivisibleTokens(10));
        assertEquals(1, images.indivisibleTokens(2));
    }

    @Test
    void imagesThatAttendToThemselvesAreBatchesOfTheirOwn() {
        SequenceImages images = images(grid(2, 2, 2), together(10, 4, 3), together(30, 2, 2));

        assertEquals(10, images.batchEnd(0, 512));
        assertEquals(5, images.batchEnd(0, 5));
        assertEquals(22, images.batchEnd(10, 16));
        assertEquals(30, images.batchEnd(22, 512));
        assertEquals(512, images.batchEnd(34, 512));
        assertEquals(0, images.batchBegin(0, 10));
        assertEquals(22, images.batchBegin(0, 30));
        assertEquals(512, images.batchBegin(512, 600));
        assertEquals(512, images(grid(2, 2, 2)).batchEnd(0, 512), "causal images may be divided");
    }

    @Test
    void tokensOfAGridHaveTheirPlaceInIt() {
        SequenceImages images = images(grid(12, 10, 7));

        assertEquals("12 12 12", at(images, 12));
        assertEquals("12 12 21", at(images, 21));
        assertEquals("12 13 12", at(images, 22));
        assertEquals("12 18 21", at(images, 81));
    }

    @Test
    void textAfterAGridContinuesAfterItsLongerSide() {
        SequenceImages images = images(grid(12, 10, 7));

        assertEquals("22 22 22", at(images, 82));
        assertEquals("25 25 25", at(images, 85));
    }

    /** 12 text tokens, 5x2, 9 text tokens, 3x4: as another program places them. */
    @Test
    void severalImagesAddUp() {
        SequenceImages images = images(grid(12, 5, 2), grid(31, 3, 4));

        assertEquals("17 17 17", at(images, 22));
        assertEquals("26 26 26", at(images, 31));
        assertEquals("26 29 28", at(images, 42));
        assertEquals("30 30 30", at(images, 43));
    }

    @Test
    void imagesInALineChangeNoPosition() {
        SequenceImages images = images(new ImageSpan(3, 4, 2, ImagePositions.LINE));

        assertEquals("5 5 5", at(images, 5));
        assertEquals("20 20 20", at(images, 20));
    }

    @Test
    void tokensOfImagesAreCounted() {
        SequenceImages images = images(grid(2, 2, 2), grid(8, 3, 1));

        assertEquals(7, images.count(0, 20));
        assertEquals(3, images.count(4, 9));
        assertEquals(0, images.count(6, 8));
        assertEquals(11, images.end());
        assertTrue(images.covers(5));
        assertFalse(images.covers(6));
    }

    @Test
    void positionsInsideAnImageAreNoBorders() {
        SequenceImages images = images(grid(2, 2, 2), grid(8, 3, 1));

        assertEquals(1, images.border(1));
        assertEquals(2, images.border(2));
        assertEquals(2, images.border(5));
        assertEquals(6, images.border(6));
        assertEquals(8, images.border(10));
        assertEquals(11, images.border(11));
    }

    @Test
    void imagesOfFewTokensAreNotIdentified() {
        assertTrue(images(grid(2, 4, 2)).areIdentified());
        assertFalse(images(grid(2, 4, 2), grid(20, 7, 1)).areIdentified());
        assertTrue(SequenceImages.NONE.areIdentified());
    }

    @Test
    void rowsArePassedInRuns() {
        List<String> runs = new ArrayList<>();

        images(grid(2, 2, 2), grid(8, 3, 1))
                .forEachRun(
                        4,
                        10,
                        (index, count, rows, first) ->
                                runs.add(
                                        index
                                                + "+"
                                                + count
                                                + " of "
                                                + rows.length
                                                + " at "
                                                + first));

        assertEquals(List.of("4+2 of 4 at 2", "8+2 of 3 at 0"), runs);
    }

    @Test
    void overlappingImagesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> images(grid(2, 2, 2), grid(5, 1, 1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> new SequenceImages(List.of(grid(0, 1, 1)), List.of()));
        assertThrows(IllegalArgumentException.class, () -> grid(0, 0, 1));
    }
}
