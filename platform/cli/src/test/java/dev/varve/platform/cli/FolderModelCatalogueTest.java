package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.serving.LoadableModel;
import dev.varve.platform.http.serving.ModelOutline;
import dev.varve.platform.http.serving.RunningModel;
import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** Which files of a folder are served. */
class FolderModelCatalogueTest {
    /** The model that the catalogue serves for a file. These tests never load it. */
    private record Found(ModelHeader header) implements LoadableModel {
        @Override
        public ModelOutline outline() {
            return header.outline(ModelSearchPath.id(header.file()), OptionalInt.empty(), false);
        }

        @Override
        public String stamp() {
            return header.stamp();
        }

        @Override
        public RunningModel load() {
            throw new AssertionError("nobody asked for it");
        }
    }

    @TempDir Path folder;
    @TempDir Path elsewhere;

    private Path model;

    @BeforeEach
    void writeModel() throws IOException {
        model = Qwen35Model.tiny().write(elsewhere);
    }

    private FolderModelCatalogue catalogue(String... served) {
        return new FolderModelCatalogue(
                List.of(),
                List.of(folder),
                new Architectures(Set.of(served), Set.of("helper")),
                Found::new);
    }

    private static List<String> ids(FolderModelCatalogue catalogue) {
        return catalogue.models().stream().map(each -> each.outline().id()).toList();
    }

    @Test
    void modelsAreFoundByNameAndOtherFilesAreNot() throws IOException {
        Files.copy(model, folder.resolve("b.gguf"));
        Files.copy(model, folder.resolve("a.gguf"));
        Files.copy(model, folder.resolve("a.mmproj.gguf"));
        Files.writeString(folder.resolve("c.gguf"), "still on its way");
        Files.writeString(folder.resolve("notes.txt"), "");

        assertEquals(List.of("a", "b"), ids(catalogue("qwen35")));
        assertEquals(List.of(), ids(catalogue("gemma4")));
    }

    @Test
    void newReplacedAndDeletedFilesAreDetectedAndOthersReadOnce() throws IOException {
        Path file = Files.copy(model, folder.resolve("a.gguf"));
        FolderModelCatalogue catalogue = catalogue("qwen35");
        LoadableModel first = catalogue.models().getFirst();
        assertSame(first, catalogue.models().getFirst());

        Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(1_700_000_000)));
        LoadableModel second = catalogue.models().getFirst();
        assertNotEquals(first.stamp(), second.stamp());
        assertEquals(1_700_000_000, second.outline().createdSeconds());
        Files.copy(model, folder.resolve("b.gguf"));
        assertEquals(List.of("a", "b"), ids(catalogue));
        Files.delete(file);
        assertEquals(List.of("b"), ids(catalogue));
    }

    @Test
    void temporarilyMissingFolderRemovesNoModel() throws IOException {
        Path moved = elsewhere.resolve("moved");
        Files.copy(model, folder.resolve("a.gguf"));
        FolderModelCatalogue catalogue = catalogue("qwen35");
        Files.move(folder, moved);
        try {
            assertEquals(List.of("a"), ids(catalogue));
            assertThrows(VarveException.class, () -> catalogue("qwen35"));
        } finally {
            Files.move(moved, folder);
        }
    }

    @Test
    void headersGiveTheExpectedSizes() {
        ModelHeader header = ModelHeader.read(model);
        ModelOutline outline = header.outline("x", OptionalInt.of(1 << 30), false);

        assertEquals("qwen35", outline.architecture());
        assertTrue(header.trainedTokens() > 0);
        assertEquals(header.trainedTokens(), outline.context().offeredTokens());
        assertEquals(OptionalInt.of(1), header.contextTokens(OptionalInt.of(1)));
        assertEquals(OptionalInt.empty(), header.contextTokens(OptionalInt.empty()));
    }
}
