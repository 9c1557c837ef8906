package dev.varve.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class PassedDocumentsTest {
    @TempDir Path folder;

    private PassedDocuments open(String... resources) throws IOException {
        return new PassedDocuments(
                folder.resolve("build/passed"), DocumentLanguageTest.class, resources);
    }

    @Test
    void onlyRecordedTextsAreContained() throws IOException {
        PassedDocuments first = open("words.txt");
        first.add("A text.");
        first.save();

        PassedDocuments second = open("words.txt");

        assertTrue(second.contains("A text."));
        assertFalse(second.contains("A text"));
    }

    @Test
    void otherConfigurationDoesNotContainTheText() throws IOException {
        PassedDocuments first = open("words.txt");
        first.add("A text.");
        first.save();

        assertFalse(open("words.txt", "rules-off.txt").contains("A text."));
    }

    @Test
    void damagedFileContainsNothingAndIsReplaced() throws IOException {
        Path file = folder.resolve("build/passed");
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[] {(byte) 0xff, 0, '\n', (byte) 0xc3});

        PassedDocuments passed = open();
        assertFalse(passed.contains("A text."));
        passed.add("A text.");
        passed.save();

        assertTrue(open().contains("A text."));
    }

    @Test
    void textsOfEarlierBuildsAreDroppedUnlessTheyAreFoundAgain() throws IOException {
        PassedDocuments first = open();
        first.add("A text.");
        first.add("Another text.");
        first.save();
        PassedDocuments second = open();
        second.contains("A text.");
        second.save();

        assertTrue(open().contains("A text."));
        assertFalse(open().contains("Another text."));
        assertEquals(1, Files.readAllLines(folder.resolve("build/passed")).size());
    }
}
