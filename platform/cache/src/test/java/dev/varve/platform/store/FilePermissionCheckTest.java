package dev.varve.platform.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Folders and secrets that other users of the machine can change are refused. */
class FilePermissionCheckTest {
    @TempDir private Path folder;

    @BeforeEach
    void resolveLinks() throws IOException {
        folder = folder.toRealPath();
    }

    private Path made(String mode) throws IOException {
        Path made = Files.createDirectory(folder.resolve("kept"));
        return Files.setPosixFilePermissions(made, PosixFilePermissions.fromString(mode));
    }

    @ParameterizedTest
    @CsvSource({
        "rwx------, false",
        "rwxr-xr-x, false",
        "rwxrwxr-x, true",
        "rwxr-xrwx, true",
        "rwxrwxrwx, true"
    })
    void folderWritableByOthersIsForgeable(String mode, boolean forgeable) throws Exception {
        assertEquals(forgeable, FilePermissionCheck.writableByOthers(made(mode)).isPresent());
    }

    @Test
    void folderBelowOneWritableByOthersIsForgeable() throws Exception {
        Path own = Files.createDirectory(made("rwxrwxrwx").resolve("own"));
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));

        assertTrue(FilePermissionCheck.writableByOthers(own).isPresent());
    }

    @ParameterizedTest
    @CsvSource({
        "rw-------, false",
        "r--r-----, false",
        "rw-r--r--, true",
        "rw--w----, true",
        "rw-----w-, true"
    })
    void secretReadableByAllOrWritableByOthersIsExposed(String mode, boolean exposed)
            throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "right");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));

        assertEquals(exposed, FilePermissionCheck.exposed(file).isPresent());
    }

    @Test
    void archiveInAFolderWritableByOthersNeedsAKey() throws Exception {
        Path kept = made("rwxrwxrwx");
        Path key = Files.write(folder.resolve("key"), ArchiveFixture.digest("key"));

        VarveException refusal =
                assertThrows(VarveException.class, () -> new ArchiveFixture(kept).open().close());

        assertEquals(VarveException.Kind.UNREADABLE_FILE, refusal.kind());
        assertTrue(refusal.getMessage().contains(kept.toString()), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("{setting:storeKey}"), refusal.getMessage());
        new ArchiveFixture(kept).cipher(key).open().close();
    }
}
